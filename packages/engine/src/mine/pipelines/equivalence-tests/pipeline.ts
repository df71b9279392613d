import { FUNCTION_OPTIONS, foundFunctions } from '../../functions/find-functions.ts';
import { FunctionData, functionCandidate } from '../../functions/function-candidate.ts';
import { definePipeline } from '../pipeline.ts';
import { recordProblem } from './record-problem.ts';

/** Real functions whose body is taken out, and asked for by what it answers. */
export const equivalenceTests = definePipeline({
  name: 'equivalence_tests',
  version: '1',
  summary: 'functions at HEAD whose body is taken out, with tests of what it answers (no model needed)',
  statementSource: 'code',
  options: FUNCTION_OPTIONS,
  open: async (options) => (request) => foundFunctions(request, options),
  data: FunctionData,
  read: (data, { repository }) => functionCandidate(repository, data),
  finish: recordProblem,
});
