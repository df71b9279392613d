export interface TestFailure {
  name: string;
  /** May have many lines. */
  detail: string;
}

/** Result of one job: a check or a test file. */
export interface JobOutcome {
  passed: number;
  skipped: number;
  failures: TestFailure[];
}
