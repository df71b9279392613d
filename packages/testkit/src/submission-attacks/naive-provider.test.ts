import { describe, test } from 'node:test';
import { assertSucceeds, SUBMISSION_ATTACKS } from './describe-submission-attacks.ts';

const NAIVE = { module: new URL('naive-provider.ts', import.meta.url).href, name: 'NaiveProvider' };
/** Most have no hold on any provider of ours, `node-vm` included. */
const SUCCEED: readonly string[] = [
  'the constructor of the global object makes a function of the host',
  'the prototypes of the global object lead to the host',
  'functions in scope are of the host',
  'async and generator functions are of the host',
  'objects that were given are of the host',
  'errors that the host throws are of the host',
  'the text of a stack is made by the submission',
  'the error of a refused import is of the host',
  'the process of the judge is ended',
  'a search for the expected value in all that can be reached',
  'a later case is read before its turn',
  'built-ins that a harness uses are replaced',
  'built-ins are replaced before the function is looked for',
  'prototypes are polluted',
  'a loop without end in a promise',
];
/** An attack that has not ended by then has stopped the judge. */
const TIMEOUT_MS = 5000;

describe('positive control: attacks that succeed on a naive judge', () => {
  for (const name of SUCCEED) {
    test(name, async () => {
      const attack = SUBMISSION_ATTACKS.find((each) => each.name === name);
      if (!attack) throw new Error('there is no such attack');
      await assertSucceeds(attack, NAIVE, TIMEOUT_MS);
    });
  }
});
