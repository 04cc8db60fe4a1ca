SELECT *,
CASE
  WHEN ("patients"."age" >= 20.0 AND "patients"."age" IS NOT NULL)
   AND ("patients"."age" < 30.5 AND "patients"."age" IS NOT NULL)
   AND ("patients"."smoker" = 1 AND "patients"."smoker" IS NOT NULL)
  THEN 'low'
  WHEN ("patients"."town" IN ('Bonn', 'Ulm') AND "patients"."town" IS NOT NULL)
   AND ("patients"."bmi" IS NULL)
  THEN 'middle'
  WHEN ("patients"."town" NOT IN ('"x"', 'a
b') OR "patients"."town" IS NULL)
   AND ("patients"."x < 5" <> 0.0 AND "patients"."x < 5" IS NOT NULL)
  THEN 'middle'
  WHEN ("patients"."bmi" IS NOT NULL)
  THEN 'high'
  ELSE 'none of these'
END AS "prediction"
FROM "patients"