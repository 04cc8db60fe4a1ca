CASE
  WHEN (
    CAST("age" AS DOUBLE) >= 20.0e0
    AND "age" IS NOT NULL
    AND NOT CAST("age" AS DOUBLE) = CAST('NaN' AS DOUBLE)
  )
  AND (
    CAST("age" AS DOUBLE) < 30.5e0
    AND "age" IS NOT NULL
    AND NOT CAST("age" AS DOUBLE) = CAST('NaN' AS DOUBLE)
  )
  AND (
    "smoker" = TRUE AND "smoker" IS NOT NULL
  )
  THEN 'low'
  WHEN (
    "town" IN ('Bonn', 'Ulm') AND "town" IS NOT NULL
  )
  AND (
    "bmi" IS NULL OR UPPER(CAST("bmi" AS VARCHAR)) = 'NAN'
  )
  THEN 'middle'
  WHEN (
    NOT "town" IN ('"x"', 'a\nb') OR "town" IS NULL
  )
  AND (
    CAST("x < 5" AS DOUBLE) <> 0.0e0
    AND "x < 5" IS NOT NULL
    AND NOT CAST("x < 5" AS DOUBLE) = CAST('NaN' AS DOUBLE)
  )
  THEN 'middle'
  WHEN (
    "bmi" IS NOT NULL AND NOT UPPER(CAST("bmi" AS VARCHAR)) = 'NAN'
  )
  THEN 'high'
  ELSE 'none of these'
END