import type { ChatModel } from '@assay/lanes/models/chat-model';
import { AssayError, type PipelineNotes } from '@assay/protocol';
import { z } from 'zod';
import type { ImportedRepository } from '../../git/import-repository.ts';
import type { Candidate } from '../candidate.ts';

/**
 * A way to candidates: each is a problem with its solution and its tests, on a base commit of the repository. The
 * stages after it are the same for all. `docs/adding-a-pipeline.md` says how to add one; `definePipeline` makes one.
 */
export interface Pipeline {
  /** As `--pipeline` names it, and the metadata of its tasks: `a_z`. */
  readonly name: string;
  /** Part of the cache key: raise it when a change of the pipeline can change how a candidate ends. */
  readonly version: string;
  /** Where its candidates come from, in a few words that follow its name in the help. */
  readonly summary: string;
  /** Its own options by name, in camelCase. The flags of `assay mine` are made of them. */
  readonly options: z.ZodObject;
  /** Names the text that comes with a candidate, for when it says too little: `message`, `advisory`. */
  readonly statementSource: string;
  /**
   * Whether what hidden tests demand and nobody could guess is told in a line of the instruction. Otherwise such a
   * candidate is rejected.
   */
  readonly discloses: boolean;
  /**
   * Checks the options and opens what they name, before anything is cloned or written. Throws `BAD_OPTION` and whatever
   * else the user can mend.
   */
  open(options: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<Collect>;
}

/** Looks for candidates. What it throws ends the run; what is wrong with one candidate is for `Found.read` to throw. */
export type Collect = (request: CollectRequest) => Promise<Collected>;

export interface CollectRequest {
  repository: ImportedRepository;
  /** ISO 8601. Only what is younger. A pipeline whose candidates have no age passes it over. */
  since?: string;
  signal?: AbortSignal;
}

export interface Collected {
  /** In the order in which they are to be examined. No more of them are taken than `limit` says. */
  found: AsyncIterable<Found> | Iterable<Found>;
  /** What became of the pipeline's material otherwise. Called once, when no further candidate is taken. */
  notes?(): PipelineNotes;
}

/** A candidate that is not read or made yet. */
export interface Found {
  /** What people know it by, one a candidate: it stands in the ledger, and never in a task. */
  label: string;
  /** All that its end depends on, besides the repository and the model: options that shape it, too. */
  key: string;
  /**
   * Reads or makes it. Throws a `Rejection` where the candidate is at fault; an `AssayError` by its kind (what the
   * machine or a service is at fault for is tried again, and deferred).
   */
  read(context: ReadContext): Promise<Candidate>;
}

export interface ReadContext {
  /** For pipelines whose candidates a model writes, and null when none was given. */
  model: ChatModel | null;
  signal?: AbortSignal;
  progress?: (text: string) => void;
}

export interface PipelineDefinition<Shape extends z.ZodRawShape> extends Omit<Pipeline, 'options' | 'open'> {
  /** A flag each; `describe` is its help, and `meta({ value: 'DIR' })` names its value there. */
  options: Shape;
  open(options: z.output<z.ZodObject<Shape, z.core.$strict>>, signal?: AbortSignal): Promise<Collect>;
}

/** A pipeline that gets its options checked, and refuses those that it does not have. */
export function definePipeline<Shape extends z.ZodRawShape>(definition: PipelineDefinition<Shape>): Pipeline {
  const options = z.strictObject(definition.options);
  return {
    ...definition,
    options,
    async open(given, signal) {
      const parsed = options.safeParse(given);
      if (!parsed.success) throw badOption(definition.name, given, parsed.error);
      return definition.open(parsed.data, signal);
    },
  };
}

function badOption(pipeline: string, given: Readonly<Record<string, unknown>>, { issues }: z.ZodError): AssayError {
  const [issue] = issues;
  if (issue?.code === 'unrecognized_keys')
    return new AssayError('BAD_OPTION', {
      option: flagOf(issue.keys[0] ?? ''),
      detail: `the pipeline ${pipeline} does not take it`,
    });
  const name = String(issue?.path[0] ?? '');
  const option = flagOf(name);
  const isMissing = given[name] === undefined;
  return new AssayError('BAD_OPTION', {
    option: isMissing ? `--pipeline ${pipeline}` : option,
    detail: isMissing ? `it needs ${option}` : (issue?.message ?? 'it is not what it should be'),
  });
}

/** The flag of an option: `maxWords` is `--max-words`. */
export const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
