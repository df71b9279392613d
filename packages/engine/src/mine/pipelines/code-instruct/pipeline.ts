import { AssayError } from '@assay/protocol';
import { FUNCTION_OPTIONS, foundFunctions } from '../../functions/find-functions.ts';
import { FunctionData } from '../../functions/function-candidate.ts';
import { definePipeline } from '../pipeline.ts';
import { judgeProblem } from './judge-problem.ts';
import { readProblem } from './read-problem.ts';

/** Fresh problems that a model writes around real functions. */
export const codeInstruct = definePipeline({
  name: 'code_instruct',
  version: '1',
  summary: 'new functions around those at HEAD, written by the model of --model and judged by machines',
  statementSource: 'model',
  needsModel: true,
  options: FUNCTION_OPTIONS,
  open: async (options) => (request) => foundFunctions(request, options),
  data: FunctionData,
  async read(data, { repository, model, signal }) {
    if (!model) throw new AssayError('BAD_OPTION', { option: '--pipeline code_instruct', detail: 'it needs --model' });
    return readProblem(repository, data, { model, signal });
  },
  finish: judgeProblem,
});
