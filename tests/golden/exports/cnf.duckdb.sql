SELECT *
FROM "patients"
WHERE (("glucose" <= 126.5e0 OR "glucose" IS NULL OR isnan(CAST("glucose" AS DOUBLE))) OR ("age" <= 50.0e0 OR "age" IS NULL OR isnan(CAST("age" AS DOUBLE))))
   AND (("colour" <> 'red' OR "colour" IS NULL) OR ("glucose" > 200.0e0 OR "glucose" IS NULL OR isnan(CAST("glucose" AS DOUBLE))))