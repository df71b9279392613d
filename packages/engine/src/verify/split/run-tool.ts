import { z } from 'zod';
import { AssayError, SiteLevel } from '@assay/protocol';
import type { ExecResult, Sandbox, SandboxProvider } from '@assay/sandbox';
import type { PreparedEnvironment } from '../../ecosystems/ecosystem.ts';
import type {
  BatteryRequest,
  ControlRequest,
  ControlTests,
  Guesses,
  Probes,
  RewriteRequest,
  Rewritten,
  SplitFacet,
  TellRequest,
  ToldProbes,
  ToldRequest,
} from '../../ecosystems/split-facet.ts';

export const TOOL_TIMEOUT_MS = 120_000;

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

const GuessesShape: z.ZodType<Guesses> = z.object({
  sites: z.record(z.string(), z.object({ level: SiteLevel, guess: z.string().optional() })),
});

const ControlShape: z.ZodType<ControlTests> = z.object({
  files: Texts,
  failing: z.array(z.string()),
  problems: Problems,
});

const ProbesShape: z.ZodType<Probes> = z.object({
  tellings: z.array(
    z.object({
      probe: z.string(),
      test: z.string(),
      site: z.number(),
      kind: z.enum(['equals', 'truth', 'contains', 'raises']),
      setup: z.string().optional(),
      expression: z.string(),
      inputs: z.string(),
      raises: z.string().optional(),
      says: z.string().nullish(),
    }),
  ),
  files: Texts,
});

const ToldShape: z.ZodType<ToldProbes> = z.object({
  told: z.array(
    z.object({
      probe: z.string(),
      expected: z.string(),
      before: z
        .object({ does: z.enum(['returns', 'raises', 'absent']), text: z.string(), message: z.string().nullable() })
        .nullable(),
    }),
  ),
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

export const tell = (box: OracleBox, request: Omit<TellRequest, 'mode'>): Promise<Probes> =>
  runTool(box, ProbesShape, { mode: 'tell', ...request });

export const told = (box: OracleBox, request: Omit<ToldRequest, 'mode'>): Promise<ToldProbes> =>
  runTool(box, ToldShape, { mode: 'told', ...request });

async function runTool<T>(box: OracleBox, shape: z.ZodType<T>, request: object): Promise<T> {
  const { sandbox, argv } = await openToolBox(box);
  try {
    const stdin = requestLine(request);
    return readEnd(await sandbox.exec('', { argv, stdin, timeout: TOOL_TIMEOUT_MS, signal: box.signal }), shape);
  } finally {
    await sandbox.destroy();
  }
}

/** The sandbox of the ecosystem's tool, and the command that takes a request on its standard input. */
export interface ToolBox {
  sandbox: Sandbox;
  argv: string[];
}

/** Makes a sandbox for the tool, without a network and with nothing of a submission. */
export async function openToolBox({ facet, environment, provider }: OracleBox): Promise<ToolBox> {
  const { argv, env, mounts } = facet.tool(environment);
  const sandbox = await provider.create({
    mounts: [
      ...environment.mounts({ writable: false }).filter((mount) => !mount.target.startsWith('/workspace')),
      ...mounts,
    ],
    env: { ...environment.env, ...env },
    limits: { outputBytes: 256 * 1024 * 1024 },
  });
  return { sandbox, argv: [...argv, '-'] };
}

export const requestLine = (request: object): string => `${JSON.stringify(request)}\n`;

/** Returns the tool's answer. Throws `SPLIT_TOOL_FAILED` when it gave none. */
export function readEnd<T>({ stdout, stderr, exitCode, timedOut, truncated }: ExecResult, shape: z.ZodType<T>): T {
  if (exitCode !== 0 || timedOut || truncated) throw toolFailed(stderr, exitCode);
  let answer: unknown;
  try {
    answer = JSON.parse(stdout);
  } catch {
    throw toolFailed(`its answer is no JSON: ${stdout.slice(0, 200)}`, 0);
  }
  const read = shape.safeParse(answer);
  if (!read.success) throw toolFailed(`its answer has another form: ${read.error.issues[0]?.path.join('.') ?? ''}`, 0);
  return read.data;
}

export function toolFailed(stderr: string, exitCode: number): AssayError {
  const last = stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
  return new AssayError('SPLIT_TOOL_FAILED', { detail: last === '' ? `exit code ${exitCode}` : last });
}
