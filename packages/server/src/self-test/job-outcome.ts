export interface TestFailure {
  name: string;
  /** May have many lines. */
  detail: string;
}

/** What one job (a check or a test file) came to. */
export interface JobOutcome {
  passed: number;
  skipped: number;
  failures: TestFailure[];
}
