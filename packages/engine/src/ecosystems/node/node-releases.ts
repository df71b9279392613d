/** Even majors of Node, which become long-term support six months after their release; oldest first. */
export const NODE_RELEASES: ReadonlyArray<{ major: number; released: string }> = [
  { major: 16, released: '2021-04-20' },
  { major: 18, released: '2022-04-19' },
  { major: 20, released: '2023-04-18' },
  { major: 22, released: '2024-04-24' },
  { major: 24, released: '2025-05-06' },
];

/** The oldest major that Assay's runners need. */
export const OLDEST_MAJOR = 18;
