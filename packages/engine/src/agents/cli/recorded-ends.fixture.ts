/** Lines that the CLIs printed, at the versions of their recipes, and what they mean; what says nothing is left out of them. */
export interface RecordedEnd {
  cli: string;
  /** What was done to it. */
  when: string;
  lines: readonly string[];
  exitCode: number;
  stderr?: string;
  state: string;
  detail: RegExp;
}
