import { execFileSync } from 'node:child_process';
import { describeProviderConformance } from '@assay/testkit';
import { runscProvider } from './oci-provider.ts';

/** The one that Debian 12 brings, of December 2022. */
function isOld(): boolean {
  try {
    return execFileSync('runsc', ['--version'], { encoding: 'utf8' }).includes('20221219');
  } catch {
    return false;
  }
}

describeProviderConformance('runsc', runscProvider, {
  skip: process.getuid?.() === 0 ? undefined : 'runsc needs root',
  lacks: { 'exposed-ports': 'its network is one of its own kernel, into which this runsc has no way' },
  knownGaps: {
    ...(isOld()
      ? {
          '`ls` and `stat` work':
            'this runsc refuses statx with AT_NO_AUTOMOUNT, which coreutils use; newer ones do not',
        }
      : {}),
    'holes in files are not counted': 'gVisor reports as many blocks as the length of a file would take',
    'a new user namespace cannot be had': "it is one of gVisor's own kernel and gives nothing outside it",
    'abstract sockets of the host can be reached with the seal `network` off (control)':
      "abstract sockets are gVisor's own even then",
  },
});
