CASE
  WHEN (CAST("age" AS DOUBLE PRECISION) >= 20.0e0 AND "age" IS NOT NULL AND NOT CAST("age" AS DOUBLE PRECISION) = CAST('NaN' AS DOUBLE PRECISION))
   AND (CAST("age" AS DOUBLE PRECISION) < 30.5e0 AND "age" IS NOT NULL AND NOT CAST("age" AS DOUBLE PRECISION) = CAST('NaN' AS DOUBLE PRECISION))
   AND ("smoker" = TRUE AND "smoker" IS NOT NULL)
  THEN 'low'
  WHEN (CAST("town" AS TEXT) COLLATE "C" IN ('Bonn', 'Ulm') AND "town" IS NOT NULL)
   AND ("bmi" IS NULL OR (pg_typeof("bmi") IN ('real'::regtype, 'double precision'::regtype, 'numeric'::regtype) AND UPPER(CAST("bmi" AS TEXT)) = 'NAN'))
  THEN 'middle'
  WHEN (CAST("town" AS TEXT) COLLATE "C" NOT IN ('"x"', 'a
b') OR "town" IS NULL)
   AND (CAST("x < 5" AS DOUBLE PRECISION) <> 0.0e0 AND "x < 5" IS NOT NULL AND NOT CAST("x < 5" AS DOUBLE PRECISION) = CAST('NaN' AS DOUBLE PRECISION))
  THEN 'middle'
  WHEN ("bmi" IS NOT NULL AND NOT (pg_typeof("bmi") IN ('real'::regtype, 'double precision'::regtype, 'numeric'::regtype) AND UPPER(CAST("bmi" AS TEXT)) = 'NAN'))
  THEN 'high'
  ELSE 'none of these'
END