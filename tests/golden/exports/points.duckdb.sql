SELECT *
FROM "patients"
WHERE ((CASE WHEN ("glucose" > 126.5e0 AND "glucose" IS NOT NULL AND NOT isnan(CAST("glucose" AS DOUBLE))) THEN 3 ELSE 0 END
      + CASE WHEN ("age" > 50.0e0 AND "age" IS NOT NULL AND NOT isnan(CAST("age" AS DOUBLE))) THEN 2 ELSE 0 END
      + CASE WHEN ("colour" = 'red' AND "colour" IS NOT NULL) THEN -1 ELSE 0 END >= 4))
   OR ((CASE WHEN ("glucose" > 126.5e0 AND "glucose" IS NOT NULL AND NOT isnan(CAST("glucose" AS DOUBLE))) THEN 3 ELSE 0 END
      + CASE WHEN ("age" > 50.0e0 AND "age" IS NOT NULL AND NOT isnan(CAST("age" AS DOUBLE))) THEN 2 ELSE 0 END
      + CASE WHEN ("colour" = 'red' AND "colour" IS NOT NULL) THEN -1 ELSE 0 END >= 2))