import { describeProviderConformance } from '@assay/testkit';
import { bubblewrapProvider } from './bubblewrap-provider.ts';

describeProviderConformance('bubblewrap', bubblewrapProvider);
