SELECT *
FROM "patients"
WHERE (("glucose" > 126.5e0 AND "glucose" IS NOT NULL AND NOT isnan(CAST("glucose" AS DOUBLE))) AND ("age" > 50.0e0 AND "age" IS NOT NULL AND NOT isnan(CAST("age" AS DOUBLE))))
   OR (("colour" = 'red' AND "colour" IS NOT NULL) AND ("glucose" <= 200.0e0 AND "glucose" IS NOT NULL AND NOT isnan(CAST("glucose" AS DOUBLE))))