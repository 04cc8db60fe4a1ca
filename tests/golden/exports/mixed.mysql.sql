CASE
  WHEN (
    CAST(`age` AS DOUBLE) >= 20.0e0 AND `age` IS NOT NULL
  )
  AND (
    CAST(`age` AS DOUBLE) < 30.5e0 AND `age` IS NOT NULL
  )
  AND (
    `smoker` = TRUE AND `smoker` IS NOT NULL
  )
  THEN 'low'
  WHEN (
    `town` COLLATE utf8mb4_0900_bin IN ('Bonn', 'Ulm') AND `town` IS NOT NULL
  )
  AND (
    `bmi` IS NULL
  )
  THEN 'middle'
  WHEN (
    NOT `town` COLLATE utf8mb4_0900_bin IN ('"x"', 'a\nb') OR `town` IS NULL
  )
  AND (
    CAST(`x < 5` AS DOUBLE) <> 0.0e0 AND `x < 5` IS NOT NULL
  )
  THEN 'middle'
  WHEN (
    `bmi` IS NOT NULL
  )
  THEN 'high'
  ELSE 'none of these'
END