SELECT *,
CASE
  WHEN (("glucose" <= 126.5 OR "glucose" IS NULL) OR ("age" <= 50.0 OR "age" IS NULL))
   AND (("colour" <> 'red' OR "colour" IS NULL) OR ("glucose" > 200.0 OR "glucose" IS NULL))
  THEN 'well'
  ELSE 'ill'
END AS "prediction",
CASE
  WHEN NOT (("glucose" <= 126.5 OR "glucose" IS NULL) OR ("age" <= 50.0 OR "age" IS NULL))
  THEN 1
  WHEN NOT (("colour" <> 'red' OR "colour" IS NULL) OR ("glucose" > 200.0 OR "glucose" IS NULL))
  THEN 2
  ELSE 0
END AS "clause"
FROM "cases"