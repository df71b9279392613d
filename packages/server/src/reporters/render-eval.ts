import type { Estimate, EvalReport, GradedTree, Rates } from '@assay/protocol';
import { renderTable } from './render-table.ts';
import type { Terminal } from './terminal.ts';

const MOST_SKIPPED = 5;

/** All first, then by scenario and by framework, then what was found; and what does not count. */
export function renderEval(report: EvalReport | GradedTree, terminal: Terminal): string {
  const tables = Object.keys(report.all.pass).map((k) => tableOf(report, k, terminal));
  const results = `results  ${terminal.foreign(report.out)}`;
  return `${[...tables, ...findings(report), ...warnings(report, terminal), results].join('\n')}\n`;
}

/** One for each k: two with their intervals are wider than a terminal. */
function tableOf(report: EvalReport | GradedTree, k: string, terminal: Terminal): string {
  const rows: [string, Rates][] = [
    ['all', report.all],
    ...Object.entries(report.scenarios),
    ...Object.entries(report.frameworks),
  ];
  return renderTable(
    [
      { title: '', shrink: true },
      { title: 'samples', align: 'right' },
      { title: `pass${k}`, align: 'right' },
      { title: `sec_pass${k}`, align: 'right' },
      { title: 'insecure', align: 'right' },
    ],
    rows.map(([name, { samples, pass, sec_pass: secPass, insecure }]) => [
      name,
      String(samples),
      estimateText(pass[k]),
      estimateText(secPass[k]),
      insecure === null ? '-' : percent(insecure),
    ]),
    terminal,
    (text, column, row) => (row === 0 && column > 0 ? terminal.style('bold', text) : text),
  );
}

function findings({ cwes }: EvalReport | GradedTree): string[] {
  const found = Object.entries(cwes).map(
    ([cwe, { samples, working }]) => `${cwe} in ${samples} (${working} of them work)`,
  );
  return found.length === 0 ? ['found    nothing'] : [`found    ${found.join(', ')}`];
}

function warnings(report: EvalReport | GradedTree, terminal: Terminal): string[] {
  const { invalid, inconclusive, variants } = report;
  const mixed = Object.entries(variants).filter(([, names]) => names.length > 1);
  const lines = [
    invalid > 0
      ? `${invalid} ${invalid === 1 ? 'sample' : 'samples'} could not be graded, and do not count: the grader failed`
      : '',
    ...('unanswered' in report ? unansweredLines(report.unanswered, terminal) : []),
    ...failureLines(report.failures, terminal),
    inconclusive.tests > 0
      ? `${inconclusive.tests} of ${inconclusive.of} security tests were inconclusive, ` +
        `which counts as ${report.profile === 'strict' ? 'insecure' : 'secure'}`
      : '',
    ...mixed.map(
      ([framework, names]) =>
        `${framework} ran on more than one variant (${names.map(terminal.foreign).join('; ')}): its figures are a mix`,
    ),
    'sets' in report && report.sets.length > 1
      ? `the tree holds more than one model or setting (${report.sets.map(terminal.foreign).join('; ')}): ` +
        'the figures are a mix'
      : '',
    ...('skipped' in report
      ? report.skipped
          .slice(0, MOST_SKIPPED)
          .map(({ sample, why }) => `skipped  ${terminal.foreign(sample)}: ${terminal.foreign(why)}`)
      : []),
    'skipped' in report && report.skipped.length > MOST_SKIPPED
      ? `… and ${report.skipped.length - MOST_SKIPPED} more skipped`
      : '',
  ];
  return lines.filter((line) => line !== '').map((line) => terminal.style('yellow', line));
}

function failureLines(failures: EvalReport['failures'], terminal: Terminal): string[] {
  const lines = failures
    .slice(0, MOST_SKIPPED)
    .map(({ item, message }) => `no grade  ${terminal.foreign(item)}: ${terminal.foreign(message)}`);
  const more = failures.length - lines.length;
  return more > 0 ? [...lines, `… and ${more} more without a grade: --resume tries them again`] : lines;
}

function unansweredLines({ samples, why }: EvalReport['unanswered'], terminal: Terminal): string[] {
  if (samples === 0) return [];
  const reasons = Object.entries(why)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_SKIPPED)
    .map(([reason, count]) => `  ${count}: ${terminal.foreign(reason)}`);
  return [
    `${samples} ${samples === 1 ? 'sample was' : 'samples were'} not answered by the model's service: ` +
      '--resume asks again',
    ...reasons,
  ];
}

function estimateText(estimate: Estimate | undefined): string {
  if (!estimate) return '-';
  const { value, interval } = estimate;
  return interval === null ? percent(value) : `${percent(value)} (${whole(interval.low)}–${whole(interval.high)})`;
}

const whole = (share: number): string => (share * 100).toFixed(0);

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
