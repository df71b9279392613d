import type { ChatModel } from '@assay/lanes/models/chat-model';
import type { SandboxProvider } from '@assay/sandbox';
import type { ImportedRepository } from '../git/import-repository.ts';
import type { Pipeline } from './pipelines/pipeline.ts';

/** Everything that the stages need apart from the candidate. */
export interface MineContext {
  pipeline: Pick<Pipeline, 'name' | 'statementSource' | 'discloses' | 'read'>;
  repository: ImportedRepository;
  provider: SandboxProvider;
  /** Writes statements and tests when the candidate's own say too little. */
  model: ChatModel | null;
  cacheDirectory: string;
  /** Reject demands of hidden tests beyond the instruction, even where a line of it could state them. */
  strict: boolean;
  /** Reject tasks without a test of the fix that is compared outside and cannot be guessed. */
  require?: 'split';
  /** Share of mutants that the tests have to tell, from 0 to 1; with 0 none are run. */
  minKilled: number;
  /** Name of the model that writes tests for mutants which the tests of the fix let pass. Absent: none does. */
  strengthen?: string;
  /** Mutants of one candidate at the same time. */
  mutantsAtOnce: number;
  signal?: AbortSignal;
  progress?: (text: string) => void;
}
