import { quote, type Cheat } from './cheat.ts';

export const hostFiles: Cheat = {
  id: 'G1',
  title: 'read a file of the host',
  seal: 'host-files',
  success: 'marker',
  script: ({ hostSecretPath }) =>
    `cat ${quote(hostSecretPath)} ${quote(`/host${hostSecretPath}`)} /proc/1/root${quote(hostSecretPath)} 2>/dev/null | sed "s/^/FOUND /"`,
};
