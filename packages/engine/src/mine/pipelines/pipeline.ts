import type { ChatModel } from '@assay/lanes/models/chat-model';
import { AssayError, type PipelineNotes, type TestCommand } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import { z } from 'zod';
import type { PreparedEnvironment } from '../../ecosystems/ecosystem.ts';
import type { ImportedRepository } from '../../git/import-repository.ts';
import type { Repository } from '../../git/repository.ts';
import type { Candidate } from '../candidate.ts';

/**
 * A source of candidates, each a problem with its solution and tests on a base commit of the repository. The stages
 * after it are the same for all. `docs/adding-a-pipeline.md` says how to add one; `definePipeline` makes one.
 */
export interface Pipeline {
  /** Name in `--pipeline` and in the metadata of its tasks: `a_z`. */
  readonly name: string;
  /** Part of the cache key: raise it when a change of the pipeline can change how a candidate ends. */
  readonly version: string;
  /** Where its candidates come from, in the few words that follow its name in the help. */
  readonly summary: string;
  /** Its own options by name, in camelCase. They become flags of `assay mine`. */
  readonly options: z.ZodObject;
  /** What kind of work its tasks are, in one word, such as `security`. Default `change`. */
  readonly category?: string;
  /** Name of the text that comes with a candidate, used when it says too little: `message`, `advisory`. */
  readonly statementSource: string;
  /**
   * Checks the options and opens what they name, before anything is cloned or written. Throws `BAD_OPTION` and anything
   * else that the user can fix.
   */
  open(options: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<Collect>;
  /** It makes no candidate without a model. Default false. */
  readonly needsModel?: boolean;
  /** Schema of what it finds: `Found.data`. */
  readonly data: z.ZodType;
  /**
   * Reads or makes a candidate from what was found, maybe in another process: it has not been opened, and knows none of
   * its options. Throws a `Rejection` when the candidate is at fault, and `ORDER_INVALID` for data that the schema
   * refuses; otherwise an `AssayError`, whose kind decides (faults of the machine or a service are retried, then
   * deferred).
   */
  read(data: unknown, context: ReadContext): Promise<Candidate>;
  /**
   * Adds what takes running T0, such as tests made of what the reference answers. Absent: what was read is whole. Throws as
   * `read` does.
   */
  finish?(candidate: Candidate, data: unknown, context: FinishContext): Promise<Candidate>;
}

/**
 * Looks for candidates. An error thrown here ends the run; problems with one candidate are for `Pipeline.read` to throw.
 */
export type Collect<Data = unknown> = (request: CollectRequest) => Promise<Collected<Data>>;

export interface CollectRequest {
  repository: ImportedRepository;
  /** ISO 8601. Only younger candidates count. Ignored by a pipeline whose candidates have no age. */
  since?: string;
  signal?: AbortSignal;
}

export interface Collected<Data = unknown> {
  /** Candidates in the order in which to examine them. No more of them are taken than `limit` says. */
  found: AsyncIterable<Found<Data>> | Iterable<Found<Data>>;
  /** Reports what became of the rest of the pipeline's material. Called once, when no more candidates are taken. */
  notes?(): PipelineNotes;
}

/** A candidate not read or made yet, as plain data. */
export interface Found<Data = unknown> {
  /** Name for people, unique per candidate. It appears in the ledger and never in a task. */
  label: string;
  /** The commit that it starts from, where that is not the first parent of `commit`. */
  base?: string;
  /** The commit of the fix, where there is one. Like the others, it appears in the ledger and never in a task. */
  commit?: string;
  /** The commits that a merge brought, where it is the fix. */
  brought?: readonly string[];
  /** The later commit that brought the tests of the fix. */
  tests?: string;
  /**
   * JSON, and everything that the candidate depends on apart from the repository's objects and the model: its base
   * commit, and options that shape it. Unique per candidate. How a candidate ended is remembered by it.
   */
  data: Data;
}

export interface ReadContext {
  repository: Repository;
  /** For pipelines whose candidates a model writes; null when none was given. */
  model: ChatModel | null;
  signal?: AbortSignal;
  progress?: (text: string) => void;
}

export interface FinishContext extends ReadContext {
  /** Tree of T0. */
  t0Directory: string;
  projectNames: string[];
  command: TestCommand;
  environment: PreparedEnvironment;
  provider: SandboxProvider;
  cacheDirectory: string;
}

export interface PipelineDefinition<Shape extends z.ZodRawShape, Data extends z.ZodType> extends Omit<
  Pipeline,
  'options' | 'open' | 'data' | 'read' | 'finish'
> {
  /** One flag per option; `describe` is its help, and `meta({ value: 'DIR' })` names its value there. */
  options: Shape;
  open(options: z.output<z.ZodObject<Shape, z.core.$strict>>, signal?: AbortSignal): Promise<Collect<z.input<Data>>>;
  data: Data;
  read(data: z.output<Data>, context: ReadContext): Promise<Candidate>;
  finish?(candidate: Candidate, data: z.output<Data>, context: FinishContext): Promise<Candidate>;
}

/** Makes a pipeline that receives checked options and data, and refuses unknown options. */
export function definePipeline<Shape extends z.ZodRawShape, Data extends z.ZodType>(
  definition: PipelineDefinition<Shape, Data>,
): Pipeline {
  const options = z.strictObject(definition.options);
  const { finish } = definition;
  const parse = (given: unknown): z.output<Data> => {
    const parsed = definition.data.safeParse(given);
    if (parsed.success) return parsed.data;
    throw new AssayError('ORDER_INVALID', {
      item: `the pipeline ${definition.name}`,
      detail: z.prettifyError(parsed.error).replaceAll('\n', ' '),
    });
  };
  return {
    ...definition,
    options,
    async open(given, signal) {
      const parsed = options.safeParse(given);
      if (!parsed.success) throw badOption(definition.name, given, parsed.error);
      return definition.open(parsed.data, signal);
    },
    read: async (given, context) => definition.read(parse(given), context),
    finish: finish && (async (candidate, given, context) => finish(candidate, parse(given), context)),
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

/** Returns the flag of an option: `maxWords` is `--max-words`. */
export const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
