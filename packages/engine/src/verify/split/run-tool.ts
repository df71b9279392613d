import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { AssayError, SiteLevel } from '@assay/protocol';
import { makeTemporaryDirectory } from '@assay/files/temporary-directory';
import type { SandboxProvider } from '@assay/sandbox';
import type { PreparedEnvironment } from '../../ecosystems/ecosystem.ts';
import type {
  BatteryRequest,
  ControlRequest,
  ControlTests,
  EvaluateRequest,
  Evaluation,
  Guesses,
  RewriteRequest,
  Rewritten,
  SplitFacet,
} from '../../ecosystems/split-facet.ts';

/** Where the tool finds its request in its sandbox. */
const PLACE = '/opt/assay/oracle';
const TIMEOUT_MS = 120_000;

const Texts = z.array(z.object({ path: z.string(), text: z.string() }));
const Problems = z.array(z.object({ file: z.string(), detail: z.string() }));

const RewrittenShape: z.ZodType<Rewritten> = z.object({
  files: Texts,
  functions: z.array(
    z.object({
      ids: z.array(z.string()),
      base: z.string(),
      sites: z.array(z.number()),
      visible: z.boolean(),
      blocked: z.string().optional(),
    }),
  ),
  sites: z.array(
    z.object({
      id: z.number(),
      file: z.string(),
      line: z.number(),
      form: z.string(),
      repeats: z.boolean().optional(),
      messageLine: z.number().optional(),
      native: z.string().optional(),
    }),
  ),
  expectations: z.unknown(),
  problems: Problems,
});

const EvaluationShape: z.ZodType<Evaluation> = z.object({
  tests: z.record(
    z.string(),
    z.object({
      sites: z.record(
        z.string(),
        z.object({
          count: z.number(),
          outcome: z.enum(['true', 'false', 'undecidable', 'error']),
          detail: z.string().optional(),
        }),
      ),
      why: z.string().optional(),
    }),
  ),
  problems: z.array(z.string()),
});

const GuessesShape: z.ZodType<Guesses> = z.object({
  sites: z.record(z.string(), z.object({ level: SiteLevel, guess: z.string().optional() })),
});

const ControlShape: z.ZodType<ControlTests> = z.object({
  files: Texts,
  failing: z.array(z.string()),
  problems: Problems,
});

export interface OracleBox {
  facet: SplitFacet;
  environment: PreparedEnvironment;
  provider: SandboxProvider;
  signal?: AbortSignal;
}

export const rewrite = (box: OracleBox, request: Omit<RewriteRequest, 'mode'>): Promise<Rewritten> =>
  runTool(box, RewrittenShape, { mode: 'rewrite', ...request });

export const guess = (box: OracleBox, request: Omit<BatteryRequest, 'mode'>): Promise<Guesses> =>
  runTool(box, GuessesShape, { mode: 'battery', ...request });

export const makeControl = (box: OracleBox, request: Omit<ControlRequest, 'mode'>): Promise<ControlTests> =>
  runTool(box, ControlShape, { mode: 'control', ...request });

/** The sandbox of the tool, ready for one request. It starts while others still run. */
export interface ToolBox {
  run<T>(request: object, shape: z.ZodType<T>, files?: Record<string, string>): Promise<T>;
  dispose(): Promise<void>;
}

/** Compares what stripped tests observed with what they expect. Throws `SPLIT_TOOL_FAILED` when there is no answer. */
export const evaluate = (
  box: ToolBox,
  { plan, observed }: Pick<EvaluateRequest, 'plan'> & { observed: string },
): Promise<Evaluation> =>
  box.run({ mode: 'evaluate', plan, observations: `${PLACE}/observations.jsonl` }, EvaluationShape, {
    'observations.jsonl': observed,
  });

async function runTool<T>(box: OracleBox, shape: z.ZodType<T>, request: object): Promise<T> {
  const opened = await openToolBox(box);
  try {
    return await opened.run(request, shape);
  } finally {
    await opened.dispose();
  }
}

/**
 * Makes a sandbox for the ecosystem's tool, without a network and with nothing of a submission but files of data. `run`
 * throws `SPLIT_TOOL_FAILED` when the tool gives no answer.
 */
export async function openToolBox({ facet, environment, provider, signal }: OracleBox): Promise<ToolBox> {
  const directory = await makeTemporaryDirectory('oracle');
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    await chmod(directory, 0o755);
    const { argv, env, mounts } = facet.tool(environment);
    const sandbox = await provider.create({
      mounts: [
        ...environment.mounts({ writable: false }).filter((mount) => !mount.target.startsWith('/workspace')),
        ...mounts,
        { kind: 'read-only', source: directory, target: PLACE },
      ],
      env: { ...environment.env, ...env },
      limits: { outputBytes: 256 * 1024 * 1024 },
    });
    return {
      async run(request, shape, files = {}) {
        const all = { ...files, 'request.json': JSON.stringify(request) };
        for (const [name, text] of Object.entries(all)) await writeFile(join(directory, name), text, { mode: 0o644 });
        const exec = await sandbox.exec('', { argv: [...argv, `${PLACE}/request.json`], timeout: TIMEOUT_MS, signal });
        signal?.throwIfAborted();
        if (exec.exitCode !== 0 || exec.timedOut || exec.truncated) throw failed(exec.stderr, exec.exitCode);
        return readAnswer(exec.stdout, shape);
      },
      dispose: async () => {
        await sandbox.destroy();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

function readAnswer<T>(text: string, shape: z.ZodType<T>): T {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw failed(`its answer is no JSON: ${text.slice(0, 200)}`, 0);
  }
  const read = shape.safeParse(answer);
  if (!read.success) throw failed(`its answer has another form: ${read.error.issues[0]?.path.join('.') ?? ''}`, 0);
  return read.data;
}

function failed(stderr: string, exitCode: number): AssayError {
  const last = stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
  return new AssayError('SPLIT_TOOL_FAILED', { detail: last === '' ? `exit code ${exitCode}` : last });
}
