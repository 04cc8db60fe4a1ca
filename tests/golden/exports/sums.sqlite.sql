SELECT *,
CASE
  WHEN (0.5 * "patients"."age" - 1.25 * "patients"."glucose" > 3.0 AND "patients"."age" IS NOT NULL AND "patients"."glucose" IS NOT NULL)
   AND (NOT ((-2.5 * ((CAST("patients"."glucose" AS REAL)) / (((CASE WHEN CAST("patients"."age" AS REAL) < 20.0 THEN 20.0 ELSE CAST("patients"."age" AS REAL) END) - 1.0) * ((CASE WHEN CAST("patients"."age" AS REAL) < 20.0 THEN 20.0 ELSE CAST("patients"."age" AS REAL) END) - 1.0))) + 1.0 * (CAST("patients"."age" AS REAL)) <= 40.0) AND (-2.5 * ((CAST("patients"."glucose" AS REAL)) / (((CASE WHEN CAST("patients"."age" AS REAL) < 20.0 THEN 20.0 ELSE CAST("patients"."age" AS REAL) END) - 1.0) * ((CASE WHEN CAST("patients"."age" AS REAL) < 20.0 THEN 20.0 ELSE CAST("patients"."age" AS REAL) END) - 1.0))) + 1.0 * (CAST("patients"."age" AS REAL)) >= 1e-07)) AND "patients"."glucose" IS NOT NULL AND "patients"."age" IS NOT NULL)
  THEN 'ill'
  WHEN ((-2.5 * ((CAST("patients"."glucose" AS REAL)) / (((CASE WHEN CAST("patients"."age" AS REAL) < 20.0 THEN 20.0 ELSE CAST("patients"."age" AS REAL) END) - 1.0) * ((CASE WHEN CAST("patients"."age" AS REAL) < 20.0 THEN 20.0 ELSE CAST("patients"."age" AS REAL) END) - 1.0))) + 1.0 * (CAST("patients"."age" AS REAL)) <= 40.0) AND (-2.5 * ((CAST("patients"."glucose" AS REAL)) / (((CASE WHEN CAST("patients"."age" AS REAL) < 20.0 THEN 20.0 ELSE CAST("patients"."age" AS REAL) END) - 1.0) * ((CASE WHEN CAST("patients"."age" AS REAL) < 20.0 THEN 20.0 ELSE CAST("patients"."age" AS REAL) END) - 1.0))) + 1.0 * (CAST("patients"."age" AS REAL)) >= 1e-07) OR "patients"."glucose" IS NULL OR "patients"."age" IS NULL)
  THEN 'ill'
  ELSE 'well'
END AS "prediction"
FROM "patients"