import { z } from 'zod';
import { findFunctions } from '../../functions/find-functions.ts';
import { functionNotes } from '../../functions/function-notes.ts';
import { FunctionData, functionCandidate } from '../../functions/function-candidate.ts';
import { definePipeline } from '../pipeline.ts';
import { recordProblem } from './record-problem.ts';

/** Real functions whose body is taken out, and asked for by what it answers. */
export const equivalenceTests = definePipeline({
  name: 'equivalence_tests',
  version: '1',
  summary: 'functions at HEAD whose body is taken out, with tests of what it answers (no model needed)',
  statementSource: 'code',
  options: {
    minLines: z.int().min(1).default(4).describe('fewest lines of code in the body of a function'),
    maxLines: z.int().min(1).default(60).describe('most lines of code in the body of a function'),
  },
  open:
    async (options) =>
    async ({ repository, signal }) => {
      const functions = await findFunctions(repository, { ...options, signal });
      return {
        found: functions.found.map(({ path, name }) => ({
          label: `${path}:${name}`,
          base: repository.head,
          data: { base: repository.head, path, name },
        })),
        notes: () => functionNotes(functions),
      };
    },
  data: FunctionData,
  read: (data, { repository }) => functionCandidate(repository, data),
  finish: recordProblem,
});
