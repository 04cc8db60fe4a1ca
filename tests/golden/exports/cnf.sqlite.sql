SELECT *,
CASE
  WHEN (("patients"."glucose" <= 126.5 OR "patients"."glucose" IS NULL) OR ("patients"."age" <= 50.0 OR "patients"."age" IS NULL))
   AND (("patients"."colour" <> 'red' OR "patients"."colour" IS NULL) OR ("patients"."glucose" > 200.0 OR "patients"."glucose" IS NULL))
  THEN 'well'
  ELSE 'ill'
END AS "prediction"
FROM "patients"