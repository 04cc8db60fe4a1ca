SELECT *,
CASE
  WHEN ("patients"."glucose" > 126.5 AND "patients"."glucose" IS NOT NULL)
   AND ("patients"."age" > 50.0 AND "patients"."age" IS NOT NULL)
  THEN 'ill'
  WHEN ("patients"."colour" = 'red' AND "patients"."colour" IS NOT NULL)
   AND ("patients"."glucose" <= 200.0 AND "patients"."glucose" IS NOT NULL)
  THEN 'ill'
  ELSE 'well'
END AS "prediction"
FROM "patients"