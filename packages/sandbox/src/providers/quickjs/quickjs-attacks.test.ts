import { describeSubmissionAttacks } from '@assay/testkit';
import { QuickJSProvider } from './quickjs-provider.ts';

describeSubmissionAttacks('quickjs', new QuickJSProvider(), { language: 'javascript' });
