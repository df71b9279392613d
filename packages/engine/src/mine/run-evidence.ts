import type { SuiteRun } from '../verify/run-suite.ts';

const MOST_FAILURES = 3;
const LOG_LINES = 6;

/** Lines that tell a person what a run of tests did: its counts, its first failures, and the end of its log. */
export function evidenceOf(name: string, { report, exec }: SuiteRun): string[] {
  const results = [...report.results.values()];
  const counts = Object.entries(Object.groupBy(results, ({ status }) => status))
    .map(([status, each]) => `${each.length} ${status}`)
    .join(', ');
  const failures = results.flatMap(({ id, status, detail }) =>
    status === 'failed' || status === 'error' ? [`  ${status}: ${id}${detail ? `: ${oneLine(detail)}` : ''}`] : [],
  );
  const log = exec.stderr.split('\n').filter((line) => line.trim() !== '');
  const end = exec.timedOut ? 'its time was up' : `exit code ${exec.exitCode}`;
  return [
    `${name}: ${counts || 'no test'}; ${end}`,
    ...report.uncollected.slice(0, MOST_FAILURES).map((what) => `  not loaded: ${what}`),
    ...failures.slice(0, MOST_FAILURES),
    ...(report.results.size === 0 ? log.slice(-LOG_LINES).map((line) => `  log: ${line}`) : []),
  ];
}

const oneLine = (text: string): string =>
  text
    .trim()
    .replaceAll(/\s*\n\s*/g, ' / ')
    .slice(0, 300);
