import { describeProviderConformance } from '@assay/testkit';
import { runscProvider } from './oci-provider.ts';

describeProviderConformance('runsc', runscProvider, {
  skip: process.getuid?.() === 0 ? undefined : 'runsc needs root',
  knownGaps: {
    '`ls` and `stat` work': 'the runsc of Debian 12 refuses statx with AT_NO_AUTOMOUNT, which coreutils use; newer ones do not',
    'a new user namespace cannot be had': 'it is one of gVisor\'s own kernel and gives nothing outside it',
    'abstract sockets of the host can be reached with the seal `network` off (control)': 'abstract sockets are gVisor\'s own even then',
  },
});
