SELECT *
FROM "patients"
WHERE (("age" >= 20.0e0 AND "age" IS NOT NULL AND NOT isnan(CAST("age" AS DOUBLE))) AND ("age" < 30.5e0 AND "age" IS NOT NULL AND NOT isnan(CAST("age" AS DOUBLE))) AND ("smoker" = TRUE AND "smoker" IS NOT NULL AND NOT isnan(CAST("smoker" AS DOUBLE))))
   OR (("town" IN ('Bonn', 'Ulm') AND "town" IS NOT NULL) AND ("bmi" IS NULL OR (typeof("bmi") IN ('DOUBLE', 'FLOAT') AND CAST("bmi" AS VARCHAR) = 'nan')))
   OR (("town" NOT IN ('"x"', 'a
b') OR "town" IS NULL) AND ("x < 5" <> 0.0e0 AND "x < 5" IS NOT NULL AND NOT isnan(CAST("x < 5" AS DOUBLE))))
   OR (("bmi" IS NOT NULL AND NOT (typeof("bmi") IN ('DOUBLE', 'FLOAT') AND CAST("bmi" AS VARCHAR) = 'nan')))