SELECT *,
CASE
  WHEN (CASE WHEN ("patients"."glucose" > 126.5 AND "patients"."glucose" IS NOT NULL) THEN 3 ELSE 0 END
      + CASE WHEN ("patients"."age" > 50.0 AND "patients"."age" IS NOT NULL) THEN 2 ELSE 0 END
      + CASE WHEN ("patients"."colour" = 'red' AND "patients"."colour" IS NOT NULL) THEN -1 ELSE 0 END >= 4)
  THEN 'ill'
  WHEN (CASE WHEN ("patients"."glucose" > 126.5 AND "patients"."glucose" IS NOT NULL) THEN 3 ELSE 0 END
      + CASE WHEN ("patients"."age" > 50.0 AND "patients"."age" IS NOT NULL) THEN 2 ELSE 0 END
      + CASE WHEN ("patients"."colour" = 'red' AND "patients"."colour" IS NOT NULL) THEN -1 ELSE 0 END >= 2)
  THEN 'watch'
  ELSE 'well'
END AS "prediction"
FROM "patients"