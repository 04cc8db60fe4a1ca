CASE
  WHEN (("glucose" <= 126.5 OR "glucose" IS NULL) OR ("age" <= 50.0 OR "age" IS NULL))
   AND (("colour" <> 'red' OR "colour" IS NULL) OR ("glucose" > 200.0 OR "glucose" IS NULL))
  THEN 'well'
  ELSE 'ill'
END