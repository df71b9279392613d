import { describeProviderConformance } from '@assay/testkit';
import { runscProvider } from './oci-provider.ts';

describeProviderConformance('runsc', runscProvider, { skip: process.getuid?.() === 0 ? undefined : 'runsc needs root' });
