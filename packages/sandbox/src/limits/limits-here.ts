import type { LimitsLevel } from '@assay/protocol/isolation';

/** As root all limits are enforced by control groups; rootless there are none. */
export function limitsHere(): LimitsLevel {
  return process.getuid?.() === 0 ? 'full' : 'partial';
}
