import type { Cheat } from './cheat.ts';

/** Above the limit of 16 MiB, below four times that. */
const BYTES = 20_000_000;

export const outputFlood: Cheat = {
  id: 'J6',
  title: 'print more than the limit',
  seal: 'limits',
  success: 'effect',
  achieved: ({ log }) => log.length >= BYTES,
  script: () => `head -c ${BYTES} /dev/zero | tr '\\0' x`,
};
