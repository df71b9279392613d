import { describeProgramProvider, describeSubmissionForms, NO_MODULES_FORMS, SUBMISSION_FORMS } from '@assay/testkit';
import { NodeVMProvider } from './node-vm-provider.ts';

describeProgramProvider('node-vm', () => new NodeVMProvider());
describeSubmissionForms('node-vm', new NodeVMProvider(), [...SUBMISSION_FORMS, ...NO_MODULES_FORMS]);
