CASE
  WHEN (
    0.5e0 * CAST(`age` AS DOUBLE) - 1.25e0 * CAST(`glucose` AS DOUBLE) > 3.0e0
    AND `age` IS NOT NULL
    AND NOT CAST(`age` AS DOUBLE) = CAST('NaN' AS DOUBLE)
    AND `glucose` IS NOT NULL
    AND NOT CAST(`glucose` AS DOUBLE) = CAST('NaN' AS DOUBLE)
  )
  AND (
    NOT (
      (
        -2.5e0 * (
          (
            CAST(`glucose` AS DOUBLE)
          ) / (
            (
              (
                CASE WHEN CAST(`age` AS DOUBLE) < 20.0e0 THEN 20.0e0 ELSE CAST(`age` AS DOUBLE) END
              ) - 1.0e0
            ) * (
              (
                CASE WHEN CAST(`age` AS DOUBLE) < 20.0e0 THEN 20.0e0 ELSE CAST(`age` AS DOUBLE) END
              ) - 1.0e0
            )
          )
        ) + 1.0e0 * (
          CAST(`age` AS DOUBLE)
        ) <= 40.0e0
      )
      AND (
        -2.5e0 * (
          (
            CAST(`glucose` AS DOUBLE)
          ) / (
            (
              (
                CASE WHEN CAST(`age` AS DOUBLE) < 20.0e0 THEN 20.0e0 ELSE CAST(`age` AS DOUBLE) END
              ) - 1.0e0
            ) * (
              (
                CASE WHEN CAST(`age` AS DOUBLE) < 20.0e0 THEN 20.0e0 ELSE CAST(`age` AS DOUBLE) END
              ) - 1.0e0
            )
          )
        ) + 1.0e0 * (
          CAST(`age` AS DOUBLE)
        ) >= 1e-07
      )
    )
    AND `glucose` IS NOT NULL
    AND NOT CAST(`glucose` AS DOUBLE) = CAST('NaN' AS DOUBLE)
    AND `age` IS NOT NULL
    AND NOT CAST(`age` AS DOUBLE) = CAST('NaN' AS DOUBLE)
  )
  THEN 'ill'
  WHEN (
    (
      -2.5e0 * (
        (
          CAST(`glucose` AS DOUBLE)
        ) / (
          (
            (
              CASE WHEN CAST(`age` AS DOUBLE) < 20.0e0 THEN 20.0e0 ELSE CAST(`age` AS DOUBLE) END
            ) - 1.0e0
          ) * (
            (
              CASE WHEN CAST(`age` AS DOUBLE) < 20.0e0 THEN 20.0e0 ELSE CAST(`age` AS DOUBLE) END
            ) - 1.0e0
          )
        )
      ) + 1.0e0 * (
        CAST(`age` AS DOUBLE)
      ) <= 40.0e0
    )
    AND (
      -2.5e0 * (
        (
          CAST(`glucose` AS DOUBLE)
        ) / (
          (
            (
              CASE WHEN CAST(`age` AS DOUBLE) < 20.0e0 THEN 20.0e0 ELSE CAST(`age` AS DOUBLE) END
            ) - 1.0e0
          ) * (
            (
              CASE WHEN CAST(`age` AS DOUBLE) < 20.0e0 THEN 20.0e0 ELSE CAST(`age` AS DOUBLE) END
            ) - 1.0e0
          )
        )
      ) + 1.0e0 * (
        CAST(`age` AS DOUBLE)
      ) >= 1e-07
    )
    OR `glucose` IS NULL
    OR CAST(`glucose` AS DOUBLE) = CAST('NaN' AS DOUBLE)
    OR `age` IS NULL
    OR CAST(`age` AS DOUBLE) = CAST('NaN' AS DOUBLE)
  )
  THEN 'ill'
  ELSE 'well'
END