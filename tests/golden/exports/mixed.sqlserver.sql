CASE
  WHEN (
    CAST([age] AS FLOAT) >= 20.0e0 AND [age] IS NOT NULL
  )
  AND (
    CAST([age] AS FLOAT) < 30.5e0 AND [age] IS NOT NULL
  )
  AND (
    [smoker] = 1 AND [smoker] IS NOT NULL
  )
  THEN N'low'
  WHEN (
    [town] COLLATE Latin1_General_100_BIN2 IN (N'Bonn', N'Ulm')
    AND [town] IS NOT NULL
  )
  AND (
    [bmi] IS NULL
  )
  THEN N'middle'
  WHEN (
    NOT [town] COLLATE Latin1_General_100_BIN2 IN (N'"x"', N'a
b')
    OR [town] IS NULL
  )
  AND (
    CAST([x < 5] AS FLOAT) <> 0.0e0 AND [x < 5] IS NOT NULL
  )
  THEN N'middle'
  WHEN (
    [bmi] IS NOT NULL
  )
  THEN N'high'
  ELSE N'none of these'
END