import type { IncomingHttpHeaders } from 'node:http';
import type { Fault } from './script.ts';

export type FakeDialectName = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini';

/** A tool that a request lets the model call. */
export interface OfferedTool {
  name: string;
  /** Name of its namespace, in dialects that have them. */
  namespace?: string;
  /** `custom`: takes free text; `hosted`: run by the provider, never by the client. */
  kind: 'function' | 'custom' | 'hosted';
  description: string;
  /** JSON schema of its arguments. */
  parameters: unknown;
}

/** A piece of a conversation. What the model did in one answer may be several. */
export interface Step {
  by: 'model' | 'user' | 'tool';
  text: string;
  /** Ids of calls, whether the fake or somebody else made them. */
  callIds: string[];
}

/** A request, independent of its dialect. */
export interface FakeQuestion {
  model: string;
  /** As a stream of events. */
  streams: boolean;
  /** All that is said by the system or a developer. */
  system: string;
  /** All that is said by the user. */
  user: string;
  /** Oldest first; neither system nor developer. */
  conversation: Step[];
  /** Null when the request does not speak of tools at all. */
  tools: OfferedTool[] | null;
  /** JSON schema that the answer has to follow. */
  schema: unknown;
  temperature: number | null;
  maxTokens: number | null;
  /** OpenAI chat: whether the stream is to end with the usage. */
  wantsUsage: boolean;
}

export interface FakeModelRequest extends FakeQuestion {
  dialect: FakeDialectName;
  method: string;
  /** With the query. */
  path: string;
  headers: IncomingHttpHeaders;
  /** The key that came, in whichever header or query. */
  key: string | null;
  body: unknown;
  /** Number of the question to this server, counted from 0. */
  index: number;
}

/** A call of a tool as one client's tools want it. */
export interface PlannedCall {
  id: string;
  name: string;
  namespace?: string;
  kind: 'function' | 'custom';
  /** Present for a function. */
  arguments: Record<string, unknown>;
  /** Present for a custom tool. */
  input: string;
}

export type StopReason = 'end' | 'tools' | 'length' | 'refusal';

export interface Usage {
  input: number;
  output: number;
  /** Share of `input`. */
  cached: number;
  /** Share of `output`. */
  reasoning: number;
}

/** One answer, before it is written in a dialect. */
export interface PlannedAnswer {
  /** Letters and digits; ids are made of it. */
  id: string;
  model: string;
  think: string;
  say: string;
  calls: PlannedCall[];
  stop: StopReason;
  usage: Usage;
}

export type AnswerStyle = 'full' | 'minimal' | 'json' | 'gzip';

/** The server's answer to one request. */
export interface FakeReply {
  /** For the log: `turn 3`, `side request`, `fault status`. */
  label: string;
  answer: PlannedAnswer;
  fault?: Fault;
  style: AnswerStyle;
  /** Before the first byte. */
  waitMs: number;
  /** Between two events. */
  paceMs: number;
  /** Characters in one event. */
  chunk: number;
}

export type FakeResponder = (request: FakeModelRequest) => FakeReply | Promise<FakeReply>;

/** One event of a stream. */
export interface StreamEvent {
  /** Name on the `event:` line, in dialects that have one. */
  event?: string;
  data: unknown;
  /** Whether it carries a piece of text. */
  isText?: boolean;
}

/** How one dialect is read and written. */
export interface FakeDialect {
  readonly name: FakeDialectName;
  /** Null when the path is not of this dialect. `count`: only the tokens are asked for. */
  match(path: string): 'ask' | 'count' | null;
  /** `url`: some dialects say there what others say in the body. */
  read(body: unknown, url: URL): FakeQuestion;
  whole(answer: PlannedAnswer): unknown;
  /** `minimal`: no event that clients are known to do without. */
  events(answer: PlannedAnswer, options: { chunk: number; minimal: boolean; wantsUsage: boolean }): StreamEvent[];
  /** Its last line, where it has one besides events. */
  readonly end: string | null;
  error(status: number, message: string): unknown;
  errorEvent(message: string): StreamEvent;
  count(tokens: number): unknown;
}
