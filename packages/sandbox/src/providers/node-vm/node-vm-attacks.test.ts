import { describeSubmissionAttacks } from '@assay/testkit';
import { NodeVMProvider } from './node-vm-provider.ts';

describeSubmissionAttacks('node-vm', new NodeVMProvider(), {
  language: 'javascript',
  provider: { module: new URL('node-vm-provider.ts', import.meta.url).href, name: 'NodeVMProvider' },
  knownFailures: {
    'the constructor of the global object makes a function of the host':
      'the global object of a context is an object of the host',
    'the prototypes of the global object lead to the host': 'the global object of a context is an object of the host',
    'the text of a stack is made by the submission': 'frames of the host are shown to it',
    'the error of a refused import is of the host': 'the host makes the error',
    'the process of the judge is ended': 'the process is the one of the judge',
  },
});
