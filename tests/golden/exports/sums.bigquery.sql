CASE
  WHEN (
    0.5e0 * CAST(`age` AS FLOAT64) - 1.25e0 * CAST(`glucose` AS FLOAT64) > 3.0e0
    AND `age` IS NOT NULL
    AND NOT IS_NAN(CAST(`age` AS FLOAT64))
    AND `glucose` IS NOT NULL
    AND NOT IS_NAN(CAST(`glucose` AS FLOAT64))
  )
  AND (
    NOT (
      (
        -2.5e0 * (
          (
            CAST(`glucose` AS FLOAT64)
          ) / (
            (
              (
                CASE
                  WHEN CAST(`age` AS FLOAT64) < 20.0e0
                  THEN 20.0e0
                  ELSE CAST(`age` AS FLOAT64)
                END
              ) - 1.0e0
            ) * (
              (
                CASE
                  WHEN CAST(`age` AS FLOAT64) < 20.0e0
                  THEN 20.0e0
                  ELSE CAST(`age` AS FLOAT64)
                END
              ) - 1.0e0
            )
          )
        ) + 1.0e0 * (
          CAST(`age` AS FLOAT64)
        ) <= 40.0e0
      )
      AND (
        -2.5e0 * (
          (
            CAST(`glucose` AS FLOAT64)
          ) / (
            (
              (
                CASE
                  WHEN CAST(`age` AS FLOAT64) < 20.0e0
                  THEN 20.0e0
                  ELSE CAST(`age` AS FLOAT64)
                END
              ) - 1.0e0
            ) * (
              (
                CASE
                  WHEN CAST(`age` AS FLOAT64) < 20.0e0
                  THEN 20.0e0
                  ELSE CAST(`age` AS FLOAT64)
                END
              ) - 1.0e0
            )
          )
        ) + 1.0e0 * (
          CAST(`age` AS FLOAT64)
        ) >= 1e-07
      )
    )
    AND `glucose` IS NOT NULL
    AND NOT IS_NAN(CAST(`glucose` AS FLOAT64))
    AND `age` IS NOT NULL
    AND NOT IS_NAN(CAST(`age` AS FLOAT64))
  )
  THEN 'ill'
  WHEN (
    (
      -2.5e0 * (
        (
          CAST(`glucose` AS FLOAT64)
        ) / (
          (
            (
              CASE
                WHEN CAST(`age` AS FLOAT64) < 20.0e0
                THEN 20.0e0
                ELSE CAST(`age` AS FLOAT64)
              END
            ) - 1.0e0
          ) * (
            (
              CASE
                WHEN CAST(`age` AS FLOAT64) < 20.0e0
                THEN 20.0e0
                ELSE CAST(`age` AS FLOAT64)
              END
            ) - 1.0e0
          )
        )
      ) + 1.0e0 * (
        CAST(`age` AS FLOAT64)
      ) <= 40.0e0
    )
    AND (
      -2.5e0 * (
        (
          CAST(`glucose` AS FLOAT64)
        ) / (
          (
            (
              CASE
                WHEN CAST(`age` AS FLOAT64) < 20.0e0
                THEN 20.0e0
                ELSE CAST(`age` AS FLOAT64)
              END
            ) - 1.0e0
          ) * (
            (
              CASE
                WHEN CAST(`age` AS FLOAT64) < 20.0e0
                THEN 20.0e0
                ELSE CAST(`age` AS FLOAT64)
              END
            ) - 1.0e0
          )
        )
      ) + 1.0e0 * (
        CAST(`age` AS FLOAT64)
      ) >= 1e-07
    )
    OR `glucose` IS NULL
    OR IS_NAN(CAST(`glucose` AS FLOAT64))
    OR `age` IS NULL
    OR IS_NAN(CAST(`age` AS FLOAT64))
  )
  THEN 'ill'
  ELSE 'well'
END