import { describeProgramProvider, describeSubmissionForms, NO_MODULES_FORMS, SUBMISSION_FORMS } from '@assay/testkit';
import { QuickJSProvider } from './quickjs-provider.ts';

describeProgramProvider('quickjs', () => new QuickJSProvider());
describeSubmissionForms('quickjs', new QuickJSProvider(), [...SUBMISSION_FORMS, ...NO_MODULES_FORMS]);
