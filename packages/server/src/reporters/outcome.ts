import type { Outcome, Proof, Verdict } from '@assay/protocol';
import type { Terminal } from './terminal.ts';

const STYLES = { pass: 'green', fail: 'red', invalid: 'yellow' } as const;

export function paintOutcome(outcome: Outcome | undefined, text: string, terminal: Terminal): string {
  return outcome === undefined ? text : terminal.style(STYLES[outcome], text);
}

/** `-` where there is none, as an invalid verdict has no reward. */
export function formatReward(reward: number | null | undefined): string {
  if (reward === null || reward === undefined) return '-';
  return Number.isInteger(reward) ? String(reward) : reward.toFixed(3);
}

/** An outcome in bold, in its colour. */
export const boldOutcome = (outcome: Outcome, terminal: Terminal): string =>
  terminal.style('bold', paintOutcome(outcome, outcome, terminal));

/** `: TEXT`; empty without a text. */
export const afterColon = (text: string | undefined, terminal: Terminal): string =>
  text === undefined || text === '' ? '' : `: ${terminal.foreign(text)}`;

/** The lines that say how far to believe a result. */
export function beliefLines(
  { trust, isolation, limits }: Pick<Verdict, 'trust' | 'isolation' | 'limits'>,
  terminal: Terminal,
): string[] {
  const reasons = trust.reasons.length > 0 ? ` (${trust.reasons.map(terminal.foreign).join('; ')})` : '';
  return [`trust      ${trust.level}${reasons}`, `isolation  ${isolation}, limits ${limits}`];
}

/** How often the reference solution and the empty submission passed. */
export const proofText = ({ reference, noop }: Pick<Proof, 'reference' | 'noop'>): string =>
  `reference ${reference.passes} of ${reference.runs}, no-op ${noop.passes} of ${noop.runs}`;
