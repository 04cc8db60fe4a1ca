CASE
  WHEN (
    0.5e0 * TO_BINARY_DOUBLE("age") - 1.25e0 * TO_BINARY_DOUBLE("glucose") > 3.0e0
    AND "age" IS NOT NULL
    AND NOT TO_BINARY_DOUBLE("age") = TO_BINARY_DOUBLE('NaN')
    AND "glucose" IS NOT NULL
    AND NOT TO_BINARY_DOUBLE("glucose") = TO_BINARY_DOUBLE('NaN')
  )
  AND (
    NOT (
      (
        -2.5e0 * (
          (
            TO_BINARY_DOUBLE("glucose")
          ) / (
            (
              (
                CASE
                  WHEN TO_BINARY_DOUBLE("age") < 20.0e0
                  THEN 20.0e0
                  ELSE TO_BINARY_DOUBLE("age")
                END
              ) - 1.0e0
            ) * (
              (
                CASE
                  WHEN TO_BINARY_DOUBLE("age") < 20.0e0
                  THEN 20.0e0
                  ELSE TO_BINARY_DOUBLE("age")
                END
              ) - 1.0e0
            )
          )
        ) + 1.0e0 * (
          TO_BINARY_DOUBLE("age")
        ) <= 40.0e0
      )
      AND (
        -2.5e0 * (
          (
            TO_BINARY_DOUBLE("glucose")
          ) / (
            (
              (
                CASE
                  WHEN TO_BINARY_DOUBLE("age") < 20.0e0
                  THEN 20.0e0
                  ELSE TO_BINARY_DOUBLE("age")
                END
              ) - 1.0e0
            ) * (
              (
                CASE
                  WHEN TO_BINARY_DOUBLE("age") < 20.0e0
                  THEN 20.0e0
                  ELSE TO_BINARY_DOUBLE("age")
                END
              ) - 1.0e0
            )
          )
        ) + 1.0e0 * (
          TO_BINARY_DOUBLE("age")
        ) >= 1e-07
      )
    )
    AND "glucose" IS NOT NULL
    AND NOT TO_BINARY_DOUBLE("glucose") = TO_BINARY_DOUBLE('NaN')
    AND "age" IS NOT NULL
    AND NOT TO_BINARY_DOUBLE("age") = TO_BINARY_DOUBLE('NaN')
  )
  THEN 'ill'
  WHEN (
    (
      -2.5e0 * (
        (
          TO_BINARY_DOUBLE("glucose")
        ) / (
          (
            (
              CASE
                WHEN TO_BINARY_DOUBLE("age") < 20.0e0
                THEN 20.0e0
                ELSE TO_BINARY_DOUBLE("age")
              END
            ) - 1.0e0
          ) * (
            (
              CASE
                WHEN TO_BINARY_DOUBLE("age") < 20.0e0
                THEN 20.0e0
                ELSE TO_BINARY_DOUBLE("age")
              END
            ) - 1.0e0
          )
        )
      ) + 1.0e0 * (
        TO_BINARY_DOUBLE("age")
      ) <= 40.0e0
    )
    AND (
      -2.5e0 * (
        (
          TO_BINARY_DOUBLE("glucose")
        ) / (
          (
            (
              CASE
                WHEN TO_BINARY_DOUBLE("age") < 20.0e0
                THEN 20.0e0
                ELSE TO_BINARY_DOUBLE("age")
              END
            ) - 1.0e0
          ) * (
            (
              CASE
                WHEN TO_BINARY_DOUBLE("age") < 20.0e0
                THEN 20.0e0
                ELSE TO_BINARY_DOUBLE("age")
              END
            ) - 1.0e0
          )
        )
      ) + 1.0e0 * (
        TO_BINARY_DOUBLE("age")
      ) >= 1e-07
    )
    OR "glucose" IS NULL
    OR TO_BINARY_DOUBLE("glucose") = TO_BINARY_DOUBLE('NaN')
    OR "age" IS NULL
    OR TO_BINARY_DOUBLE("age") = TO_BINARY_DOUBLE('NaN')
  )
  THEN 'ill'
  ELSE 'well'
END