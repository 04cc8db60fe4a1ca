CASE
  WHEN (
    TO_BINARY_DOUBLE("age") >= 20.0e0
    AND "age" IS NOT NULL
    AND NOT TO_BINARY_DOUBLE("age") = TO_BINARY_DOUBLE('NaN')
  )
  AND (
    TO_BINARY_DOUBLE("age") < 30.5e0
    AND "age" IS NOT NULL
    AND NOT TO_BINARY_DOUBLE("age") = TO_BINARY_DOUBLE('NaN')
  )
  AND (
    "smoker" = 1 AND "smoker" IS NOT NULL
  )
  THEN 'low'
  WHEN (
    "town" IN ('Bonn', 'Ulm') AND "town" IS NOT NULL
  )
  AND (
    "bmi" IS NULL OR UPPER(CAST("bmi" AS VARCHAR2(4000))) = 'NAN'
  )
  THEN 'middle'
  WHEN (
    NOT "town" IN ('"x"', 'a
b') OR "town" IS NULL
  )
  AND (
    TO_BINARY_DOUBLE("x < 5") <> 0.0e0
    AND "x < 5" IS NOT NULL
    AND NOT TO_BINARY_DOUBLE("x < 5") = TO_BINARY_DOUBLE('NaN')
  )
  THEN 'middle'
  WHEN (
    "bmi" IS NOT NULL AND NOT UPPER(CAST("bmi" AS VARCHAR2(4000))) = 'NAN'
  )
  THEN 'high'
  ELSE 'none of these'
END