SELECT *,
CASE
  WHEN (CASE WHEN ("glucose" > 126.5 AND "glucose" IS NOT NULL) THEN 3 ELSE 0 END
      + CASE WHEN ("age" > 50.0 AND "age" IS NOT NULL) THEN 2 ELSE 0 END
      + CASE WHEN ("colour" = 'red' AND "colour" IS NOT NULL) THEN -1 ELSE 0 END >= 4)
  THEN 'ill'
  WHEN (CASE WHEN ("glucose" > 126.5 AND "glucose" IS NOT NULL) THEN 3 ELSE 0 END
      + CASE WHEN ("age" > 50.0 AND "age" IS NOT NULL) THEN 2 ELSE 0 END
      + CASE WHEN ("colour" = 'red' AND "colour" IS NOT NULL) THEN -1 ELSE 0 END >= 2)
  THEN 'watch'
  ELSE 'well'
END AS "prediction",
(CASE WHEN ("glucose" > 126.5 AND "glucose" IS NOT NULL) THEN 3 ELSE 0 END
      + CASE WHEN ("age" > 50.0 AND "age" IS NOT NULL) THEN 2 ELSE 0 END
      + CASE WHEN ("colour" = 'red' AND "colour" IS NOT NULL) THEN -1 ELSE 0 END) AS "total_points"
FROM "cases"