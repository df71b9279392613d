import type { ChatModel } from '@assay/lanes/models/chat-model';
import type { SandboxProvider } from '@assay/sandbox';
import type { ImportedRepository } from '../git/import-repository.ts';
import type { Pipeline } from './pipelines/pipeline.ts';

/** Everything that the stages need besides the candidate. */
export interface MineContext {
  pipeline: Pick<Pipeline, 'name' | 'statementSource' | 'discloses'>;
  repository: ImportedRepository;
  provider: SandboxProvider;
  /** Writes statements and tests where the candidate has too little of its own. */
  model: ChatModel | null;
  cacheDirectory: string;
  /** Reject what hidden tests demand beyond the instruction, also where a line of it could tell. */
  strict: boolean;
  signal?: AbortSignal;
  progress?: (text: string) => void;
}
