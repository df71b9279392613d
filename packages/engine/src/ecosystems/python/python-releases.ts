/** First final release of each series that can run today's tools, oldest first. */
export const PYTHON_RELEASES: ReadonlyArray<{ minor: number; released: string }> = [
  { minor: 6, released: '2016-12-23' },
  { minor: 7, released: '2018-06-27' },
  { minor: 8, released: '2019-10-14' },
  { minor: 9, released: '2020-10-05' },
  { minor: 10, released: '2021-10-04' },
  { minor: 11, released: '2022-10-24' },
  { minor: 12, released: '2023-10-02' },
  { minor: 13, released: '2024-10-07' },
  { minor: 14, released: '2025-10-07' },
];
