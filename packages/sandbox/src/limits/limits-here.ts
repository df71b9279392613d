import type { LimitsLevel } from '@assay/protocol/isolation';

/** Says whether limits hold on this machine: as root control groups enforce all of them, rootless there are none. */
export function limitsHere(): LimitsLevel {
  return process.getuid?.() === 0 ? 'full' : 'partial';
}
