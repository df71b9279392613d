import type { ChatModel } from '@assay/lanes/models/chat-model';
import type { Examination, MineStage, SpecificityPolicy } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import type { ImportedRepository } from '../git/import-repository.ts';
import type { Pipeline } from './pipelines/pipeline.ts';

/** Everything that the stages need apart from the candidate. */
export interface MineContext {
  pipeline: Pick<Pipeline, 'name' | 'category' | 'statementSource' | 'read' | 'finish'>;
  repository: ImportedRepository;
  provider: SandboxProvider;
  /** Writes statements and tests when the candidate's own say too little. */
  model: ChatModel | null;
  /** Its name, for the metadata of tasks. */
  modelName?: string;
  cacheDirectory: string;
  /** What becomes of demands of hidden tests that neither the instruction nor T0 tells. */
  specificity: SpecificityPolicy;
  /** Reject tasks without a test of the fix that is compared outside and cannot be guessed. */
  require?: 'split';
  /** What agents of the task may reach. Default: nothing. */
  network?: 'none' | 'package-lane';
  /** Share of mutants that the tests have to tell, from 0 to 1; with 0 none are run. */
  minKilled: number;
  /** Name of the model that writes tests for mutants which the tests of the fix let pass. Absent: none does. */
  strengthen?: string;
  /** Mutants of one candidate at the same time. */
  mutantsAtOnce: number;
  signal?: AbortSignal;
  progress?: (text: string) => void;
  /** Counts the time of some work to a stage. */
  timed?: <T>(stage: MineStage, work: () => Promise<T>) => Promise<T>;
  /** Learns how far a candidate came that ends without a result. */
  failed?: (examination: Examination) => void;
}
