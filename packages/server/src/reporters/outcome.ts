import type { Outcome } from '@assay/protocol';
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
