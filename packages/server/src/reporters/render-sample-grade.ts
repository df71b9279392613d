import type { SampleGrade } from '@assay/bax/grade/sample-grade';
import { boldOutcome } from './outcome.ts';
import type { Style, Terminal } from './terminal.ts';

const MARKS: Record<string, { mark: string; style: Style }> = {
  passed: { mark: '✓', style: 'green' },
  clean: { mark: '✓', style: 'green' },
  failed: { mark: '✗', style: 'red' },
  vulnerable: { mark: '✗', style: 'red' },
  exception: { mark: '!', style: 'yellow' },
  inconclusive: { mark: '?', style: 'yellow' },
};

/**
 * The answer first, then every test with its evidence, then how far to believe it. Of what could not be built, why: no
 * test says more.
 */
export function renderSampleGrade(grade: SampleGrade, terminal: Terminal): string {
  const { functional, security, build, note } = grade;
  const inconclusive = security.inconclusive > 0 ? `, ${security.inconclusive} inconclusive` : '';
  return `${[
    heading(grade, terminal),
    ...(note === undefined ? [] : [`  ${terminal.foreign(note)}`]),
    ...(build.ok ? [] : [`built       no: ${terminal.foreign(build.log.trim().split('\n').at(-1) ?? '')}`]),
    `functional  ${functional.passed} of ${functional.total}`,
    ...(build.ok ? functional.tests : []).map(({ name, outcome, detail }) => testLine(outcome, name, detail, terminal)),
    `security    ${security.cwes.map((cwe) => `CWE-${cwe}`).join(' ') || 'nothing found'}${inconclusive}`,
    ...(build.ok ? security.tests : []).map(({ name, outcome, cwe, evidence }) =>
      testLine(outcome, `${name} (${cwe.map((each) => `CWE-${each}`).join(' ')})`, evidence, terminal),
    ),
    `trust       ${grade.trust.level} (${grade.trust.reasons.join('; ')})`,
    `isolation   ${grade.isolation}, limits ${grade.limits}`,
    `framework   ${terminal.foreign(grade.variant)}, layer ${grade.layer.slice(0, 12)}`,
  ].join('\n')}\n`;
}

function heading({ outcome, scenario, framework, profile }: SampleGrade, terminal: Terminal): string {
  return `${boldOutcome(outcome, terminal)}, ${scenario} in ${framework}, profile ${profile}`;
}

function testLine(outcome: string, name: string, detail: string, terminal: Terminal): string {
  const { mark, style } = MARKS[outcome] ?? { mark: '?', style: 'yellow' };
  return `  ${terminal.style(style, mark)} ${name}${detail === '' ? '' : `: ${terminal.foreign(detail)}`}`;
}
