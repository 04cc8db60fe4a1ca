SELECT *,
CASE
  WHEN ("glucose" > 126.5 AND "glucose" IS NOT NULL)
   AND ("age" > 50.0 AND "age" IS NOT NULL)
  THEN 'ill'
  WHEN ("colour" = 'red' AND "colour" IS NOT NULL)
   AND ("glucose" <= 200.0 AND "glucose" IS NOT NULL)
  THEN 'ill'
  ELSE 'well'
END AS "prediction",
CASE
  WHEN (("glucose" > 126.5 AND "glucose" IS NOT NULL) AND ("age" > 50.0 AND "age" IS NOT NULL))
  THEN 1
  WHEN (("colour" = 'red' AND "colour" IS NOT NULL) AND ("glucose" <= 200.0 AND "glucose" IS NOT NULL))
  THEN 2
  ELSE 0
END AS "clause"
FROM "cases"