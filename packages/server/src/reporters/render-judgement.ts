import type { EachJudged } from '@assay/judging/judge-standard';
import type { Judgement, ResultJudgement } from '@assay/protocol';
import { afterColon, beliefLines, boldOutcome } from './outcome.ts';
import type { Terminal } from './terminal.ts';

const MOST_RESULTS = 40;
const MARK = { yes: '✓', no: '✗', unknown: '?' } as const;

/** The answer first, then every case, criterion or item, then how far to believe it. */
export function renderJudgement(judgement: Judgement, terminal: Terminal): string {
  return `${[
    heading(judgement, terminal),
    ...resultLines(judgement, terminal, '  '),
    ...beliefLines(judgement, terminal),
  ].join('\n')}\n`;
}

/** Each submission by its name, then its judgement or why there is none. */
export function renderEachJudgement(judged: readonly EachJudged[], terminal: Terminal): string {
  return judged
    .map((each) => {
      const answer =
        'judgement' in each
          ? renderJudgement(each.judgement, terminal)
          : `${terminal.style('red', 'error')}: ${terminal.foreign(each.failure.message)}\n`;
      return `${terminal.style('bold', terminal.foreign(each.submission))}\n${answer}`;
    })
    .join('\n');
}

function heading(judgement: Judgement, terminal: Terminal): string {
  const { outcome, score, passScore, type, note } = judgement;
  const result = score === null ? 'no score' : `score ${score} of 100, passes at ${passScore}`;
  return `${boldOutcome(outcome, terminal)}, ${result} (${type})${afterColon(note, terminal)}`;
}

function resultLines({ results }: Judgement, terminal: Terminal, indent: string): string[] {
  const lines = results.slice(0, MOST_RESULTS).flatMap((result) => resultLine(result, terminal, indent));
  return results.length > MOST_RESULTS ? [...lines, `${indent}… and ${results.length - MOST_RESULTS} more`] : lines;
}

function resultLine(result: ResultJudgement, terminal: Terminal, indent: string): string[] {
  const weight = result.weight === 1 ? '' : ` (weight ${result.weight})`;
  switch (result.kind) {
    case 'case':
      return [
        `${indent}${mark(result.passed, terminal)} ${terminal.foreign(result.desc)}${weight}` +
          afterColon(result.error, terminal),
      ];
    case 'criterion': {
      const spread = result.samples.length > 1 ? `, samples ${result.samples.join(' ')}, spread ${result.spread}` : '';
      const [reason] = result.reasons;
      return [
        `${indent}${String(result.score ?? '-').padStart(3)}  ${terminal.foreign(result.criterion)}${weight}${spread}`,
        ...(reason ? [`${indent}     ${terminal.style('dim', terminal.foreign(reason))}`] : []),
      ];
    }
    case 'item':
      return [
        `${indent}${mark(result.passed, terminal)} ${terminal.foreign(result.check)}${weight}`,
        `${indent}  ${terminal.style('dim', `${result.by}: ${terminal.foreign(result.evidence)}`)}`,
      ];
    case 'child':
      return [
        `${indent}${result.id}${weight}: ${heading(result.judgement, terminal)}`,
        ...resultLines(result.judgement, terminal, `${indent}  `),
      ];
  }
}

function mark(passed: boolean | null, terminal: Terminal): string {
  if (passed === null) return terminal.style('yellow', MARK.unknown);
  return passed ? terminal.style('green', MARK.yes) : terminal.style('red', MARK.no);
}
