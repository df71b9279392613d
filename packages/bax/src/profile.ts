/**
 * How a sample is graded. `strict`: with the known defects of the original tests repaired, and evidence for every
 * finding. `upstream`: the verdicts of BaxBench's own harness on the same code, its defects included.
 */
export const PROFILES = ['strict', 'upstream'] as const;
export type Profile = (typeof PROFILES)[number];

export const LANGUAGES = ['Python', 'JavaScript', 'Go', 'PHP', 'Ruby', 'Rust'] as const;
export type Language = (typeof LANGUAGES)[number];
