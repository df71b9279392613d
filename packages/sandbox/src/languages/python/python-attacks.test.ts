import { describeNativeAttacks } from '@assay/testkit';
import { bubblewrapProvider } from '../../providers/bubblewrap/bubblewrap-provider.ts';

describeNativeAttacks('bubblewrap', bubblewrapProvider(), 'python');
