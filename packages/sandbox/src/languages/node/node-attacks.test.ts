import { bubblewrapProvider, runcProvider, runscProvider } from '@assay/sandbox';
import { describeSubmissionAttacks } from '@assay/testkit';

const skip = process.getuid?.() === 0 ? undefined : 'needs root';

describeSubmissionAttacks('Node in bubblewrap', bubblewrapProvider(), { language: 'javascript' });
// Time, memory and values meet the same code as with bubblewrap, and so do forged results.
describeSubmissionAttacks('Node in runc', runcProvider(), {
  language: 'javascript',
  groups: ['escape', 'forgery'],
  skip,
});
describeSubmissionAttacks('Node in runsc', runscProvider(), { language: 'javascript', groups: ['escape'], skip });
