import type { Cheat } from './cheat.ts';

/** Above the limit of 512, below four times that. */
const LIMIT_PROBE_PIDS = 700;

export const forkBomb: Cheat = {
  id: 'J1',
  title: 'start more processes than the limit',
  seal: 'limits',
  success: 'effect',
  script: () => `started=0
while [ $started -lt ${LIMIT_PROBE_PIDS} ]; do sleep 30 & started=$((started + 1)); done 2>/dev/null
[ "$(ls -d /proc/[0-9]* | wc -l)" -ge ${LIMIT_PROBE_PIDS} ] && echo EFFECT yes
true`,
};
