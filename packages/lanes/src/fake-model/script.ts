import { AssayError } from '@assay/protocol';
import { z } from 'zod';
import { VOCABULARY } from './vocabulary.ts';

const Count = z.number().int().min(0);
const Milliseconds = z.number().min(0).max(3_600_000);
const Text = z.string().max(10_000_000);
const Headers = z.record(
  z.string().regex(/^[\w-]+$/, 'expected the name of a header'),
  z.string().regex(/^[\t\x20-\x7e]*$/, 'expected printable characters'),
);

const ToolCall = z
  .strictObject({
    /** One of the vocabulary, which fits the tools of every client; any other name goes out as it stands. */
    name: z.string().min(1),
    arguments: z.record(z.string(), z.unknown()).default({}),
    /** Input of a custom tool, which takes free text. */
    input: Text.optional(),
    namespace: z.string().min(1).optional(),
    /** A name of the vocabulary goes out as it stands, too. */
    raw: z.boolean().default(false),
  })
  .superRefine(({ name, raw, arguments: given }, context) => {
    const problem = raw ? undefined : VOCABULARY.get(name)?.safeParse(given).error?.issues[0];
    if (problem !== undefined)
      context.addIssue({ code: 'custom', path: ['arguments', ...problem.path], message: problem.message });
  });
export type ScriptedCall = z.infer<typeof ToolCall>;

/** All that is given must hold. Texts are parts of what is looked at. */
const When = z.strictObject({
  dialect: z.enum(['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini']).optional(),
  model: z.string().optional(),
  streams: z.boolean().optional(),
  /** Whether a tool that the client runs is offered. */
  tools: z.boolean().optional(),
  system: z.string().optional(),
  /** In what came after the model's last answer. */
  contains: z.string().optional(),
  /** In what the tools said after the model's last answer. */
  toolResult: z.string().optional(),
  /** Number of the question to this server, counted from 1. */
  request: z.number().int().min(1).optional(),
});

const shared = {
  say: Text.default(''),
  think: Text.default(''),
  tools: z.array(ToolCall).max(100).default([]),
  stop: z.enum(['end', 'tools', 'length', 'refusal']).optional(),
  /** Tokens. Default: a fourth of the characters. */
  usage: z
    .strictObject({
      input: Count.optional(),
      output: Count.optional(),
      cached: Count.optional(),
      reasoning: Count.optional(),
    })
    .default({}),
  /** The name that the answer gives as the model's. Default: the one that was asked for. */
  model: z.string().min(1).optional(),
  when: When.optional(),
  /** Default 1, and `always` where there is a `when`. */
  repeat: z
    .union(
      [z.number().int().min(1).max(10_000), z.literal('always')],
      'expected a whole number of at least 1, or "always"',
    )
    .optional(),
  /**
   * `minimal`: only the events that clients cannot do without. `json`: no stream, whatever was asked for. `gzip`:
   * compressed.
   */
  style: z.enum(['full', 'minimal', 'json', 'gzip']).default('full'),
  /** Before the first byte. */
  waitMs: Milliseconds.default(0),
  /** Between two events. */
  paceMs: Milliseconds.default(0),
  /** Characters in one event. */
  chunk: z.number().int().min(1).max(1_000_000).default(24),
};

const fault = <Name extends string, Options extends z.ZodRawShape>(name: Name, options: Options) =>
  z.strictObject({ ...shared, fault: z.literal(name), ...options });

const Faulty = z.discriminatedUnion('fault', [
  /** An HTTP error; the body is that of the dialect unless given. */
  fault('status', {
    status: z.number().int().min(200).max(599),
    message: Text.default('a fault on demand'),
    headers: Headers.default({}),
    body: Text.optional(),
  }),
  /** The connection is reset, before a byte or after so many events. */
  fault('reset', { afterEvents: Count.default(0) }),
  /** The answer stops in its midst: the connection ends, or, `clean`, the stream does as if it were whole. */
  fault('cut', { afterEvents: Count.default(2), clean: z.boolean().default(false) }),
  /** Nothing comes any more: `head`, not even that; else after so many events. */
  fault('silent', {
    after: z.union([z.literal('nothing'), Count], 'expected "nothing", or a number of events').default('nothing'),
  }),
  /** Sends something that no dialect knows as an event. */
  fault('malformed', { how: z.enum(['json', 'html', 'bytes']).default('json') }),
  /** A stream that does not end; `lines: false`: in one line. */
  fault('endless', { lines: z.boolean().default(true) }),
  fault('huge-header', {
    bytes: z
      .number()
      .int()
      .min(1)
      .max(1 << 28)
      .default(1 << 20),
  }),
  /** A small body that is `megabytes` large once unpacked. */
  fault('gzip-bomb', { megabytes: z.number().int().min(1).max(100_000).default(1024) }),
  /** The head says more bytes than come, or fewer. */
  fault('wrong-length', { by: z.number().int().default(1000) }),
  fault('redirect', {
    status: z.union([z.literal(301), z.literal(302), z.literal(303), z.literal(307), z.literal(308)]).default(307),
    location: z.string().regex(/^[\x21-\x7e]+$/, 'expected an address'),
  }),
  /** An error told inside of a stream that began well. */
  fault('error-event', { message: Text.default('a fault on demand'), afterEvents: Count.default(2) }),
]);
const Turn = z.strictObject(shared);

export type Fault = z.infer<typeof Faulty>;
export type FaultName = Fault['fault'];
export type ScriptEntry = (z.infer<typeof Turn> & { fault?: undefined }) | Fault;
export const FAULTS: readonly FaultName[] = Faulty.options.map((option) => option.shape.fault.value);

const Entry = z.unknown().transform((given, context): ScriptEntry => {
  const isFault = typeof given === 'object' && given !== null && 'fault' in given;
  const parsed = isFault ? Faulty.safeParse(given) : Turn.safeParse(given);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues)
    context.addIssue({
      code: 'custom',
      path: issue.path,
      message: isFault && issue.code === 'invalid_union' ? `expected one of ${FAULTS.join(', ')}` : issue.message,
    });
  return z.NEVER;
});

const Script = z.strictObject({
  $schema: z.string().optional(),
  /** How a turn is found: by how many the conversation has had, or by how many requests came. */
  order: z.enum(['conversation', 'requests']).default('conversation'),
  /** Whether titles, schema answers and the like are answered without the script. */
  sideRequests: z.boolean().default(true),
  turns: z.array(Entry, 'expected an array of turns').min(1).max(100_000),
});
export type FakeModelScript = z.infer<typeof Script>;
/** A script as it is written, defaults left out. */
export type FakeModelScriptInput = Omit<z.input<typeof Script>, 'turns'> & { turns: readonly ScriptEntryInput[] };
export type ScriptEntryInput = (z.input<typeof Turn> & { fault?: undefined }) | z.input<typeof Faulty>;

/** Throws `SCRIPT_INVALID`, which names the place in the document and what was expected there. */
export function checkScript(given: unknown, file = 'the script'): FakeModelScript {
  const parsed = Script.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new AssayError('SCRIPT_INVALID', {
    file,
    field: showPath(issue?.path ?? []),
    detail: issue?.message ?? 'not understood',
  });
}

/** The same of a text. */
export function parseScript(text: string, file = 'the script'): FakeModelScript {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AssayError('SCRIPT_INVALID', {
      file,
      field: 'the document',
      detail: `no JSON: ${reason.replaceAll(/\s+/g, ' ')}`,
    });
  }
  return checkScript(json, file);
}

/** `turns[2].tools` */
function showPath(path: readonly PropertyKey[]): string {
  const shown = path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
  return shown === '' ? 'the document' : shown;
}
