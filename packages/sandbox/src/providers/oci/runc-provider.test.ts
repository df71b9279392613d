import { describeProviderConformance } from '@assay/testkit';
import { runcProvider } from './oci-provider.ts';

describeProviderConformance('runc', runcProvider, { skip: process.getuid?.() === 0 ? undefined : 'runc needs root' });
