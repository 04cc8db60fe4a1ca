CASE
  WHEN ("age" >= 20.0 AND "age" IS NOT NULL)
   AND ("age" < 30.5 AND "age" IS NOT NULL)
   AND ("smoker" = (1 = 1) AND "smoker" IS NOT NULL)
  THEN 'low'
  WHEN ("town" IN ('Bonn', 'Ulm') AND "town" IS NOT NULL)
   AND ("bmi" IS NULL)
  THEN 'middle'
  WHEN ("town" NOT IN ('"x"', 'a
b') OR "town" IS NULL)
   AND ("x < 5" <> 0.0 AND "x < 5" IS NOT NULL)
  THEN 'middle'
  WHEN ("bmi" IS NOT NULL)
  THEN 'high'
  ELSE 'none of these'
END