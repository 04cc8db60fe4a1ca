CASE
  WHEN (
    0.5e0 * CAST([age] AS FLOAT) - 1.25e0 * CAST([glucose] AS FLOAT) > 3.0e0
    AND [age] IS NOT NULL
    AND [glucose] IS NOT NULL
  )
  AND (
    NOT (
      (
        -2.5e0 * (
          (
            CAST([glucose] AS FLOAT)
          ) / (
            (
              (
                CASE WHEN CAST([age] AS FLOAT) < 20.0e0 THEN 20.0e0 ELSE CAST([age] AS FLOAT) END
              ) - 1.0e0
            ) * (
              (
                CASE WHEN CAST([age] AS FLOAT) < 20.0e0 THEN 20.0e0 ELSE CAST([age] AS FLOAT) END
              ) - 1.0e0
            )
          )
        ) + 1.0e0 * (
          CAST([age] AS FLOAT)
        ) <= 40.0e0
      )
      AND (
        -2.5e0 * (
          (
            CAST([glucose] AS FLOAT)
          ) / (
            (
              (
                CASE WHEN CAST([age] AS FLOAT) < 20.0e0 THEN 20.0e0 ELSE CAST([age] AS FLOAT) END
              ) - 1.0e0
            ) * (
              (
                CASE WHEN CAST([age] AS FLOAT) < 20.0e0 THEN 20.0e0 ELSE CAST([age] AS FLOAT) END
              ) - 1.0e0
            )
          )
        ) + 1.0e0 * (
          CAST([age] AS FLOAT)
        ) >= 1e-07
      )
    )
    AND [glucose] IS NOT NULL
    AND [age] IS NOT NULL
  )
  THEN N'ill'
  WHEN (
    (
      -2.5e0 * (
        (
          CAST([glucose] AS FLOAT)
        ) / (
          (
            (
              CASE WHEN CAST([age] AS FLOAT) < 20.0e0 THEN 20.0e0 ELSE CAST([age] AS FLOAT) END
            ) - 1.0e0
          ) * (
            (
              CASE WHEN CAST([age] AS FLOAT) < 20.0e0 THEN 20.0e0 ELSE CAST([age] AS FLOAT) END
            ) - 1.0e0
          )
        )
      ) + 1.0e0 * (
        CAST([age] AS FLOAT)
      ) <= 40.0e0
    )
    AND (
      -2.5e0 * (
        (
          CAST([glucose] AS FLOAT)
        ) / (
          (
            (
              CASE WHEN CAST([age] AS FLOAT) < 20.0e0 THEN 20.0e0 ELSE CAST([age] AS FLOAT) END
            ) - 1.0e0
          ) * (
            (
              CASE WHEN CAST([age] AS FLOAT) < 20.0e0 THEN 20.0e0 ELSE CAST([age] AS FLOAT) END
            ) - 1.0e0
          )
        )
      ) + 1.0e0 * (
        CAST([age] AS FLOAT)
      ) >= 1e-07
    )
    OR [glucose] IS NULL
    OR [age] IS NULL
  )
  THEN N'ill'
  ELSE N'well'
END