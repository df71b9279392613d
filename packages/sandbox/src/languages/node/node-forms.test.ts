import { describeSubmissionForms, SUBMISSION_FORMS } from '@assay/testkit';
import { bubblewrapProvider } from '../../providers/bubblewrap/bubblewrap-provider.ts';

describeSubmissionForms('Node in bubblewrap', bubblewrapProvider(), SUBMISSION_FORMS);
