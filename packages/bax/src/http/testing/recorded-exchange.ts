import { readFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';

import { type CookieJar } from '../cookie-jar.ts';
import { type HttpAnswer } from '../http-answer.ts';
import { openHttpClient, type HttpRequest } from '../http-client.ts';
import { HttpFailure } from '../http-failure.ts';
import { PythonFloat } from '../python-values.ts';

type ServedAnswer = {
  readonly text?: string;
  readonly base64?: string;
  readonly repeat?: readonly [string, number];
  readonly end?: 'keep' | 'reset';
  readonly early?: boolean;
};

type AskedRequest = Record<string, unknown> & {
  readonly path: string;
  readonly method?: string;
  readonly cookies?: boolean;
};

export type ExchangeCase = {
  readonly name: string;
  readonly requests: readonly AskedRequest[];
  readonly answers?: readonly ServedAnswer[];
};

export type RecordedResult =
  | { readonly error: string }
  | {
      readonly status: number;
      readonly reason: string;
      readonly body: string;
      readonly text: string | null;
      readonly headers: readonly (readonly [string, string])[];
      readonly cookies: readonly (readonly [string, string | null])[];
      readonly redirects: number;
    };

export type Recorded = {
  readonly name: string;
  readonly sent: readonly string[];
  readonly results: readonly RecordedResult[];
};

/** One of the files that the recorder reads and writes. */
export async function readCases<Item>(file: string): Promise<Item[]> {
  return JSON.parse(await readFile(join(import.meta.dirname, file), 'utf8')) as Item[];
}

const PLAIN: ServedAnswer = { text: 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n' };

/** Decodes objects with one $-key, as the recorder does. */
function decodeValue(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(decodeValue);
  if (typeof given !== 'object' || given === null) return given;
  const known = given as {
    $float?: string;
    $repeat?: [string, number];
    $base64?: string;
    $pairs?: [string, unknown][];
  };
  if (known.$float !== undefined) return new PythonFloat(Number(known.$float));
  if (known.$repeat !== undefined) return known.$repeat[0].repeat(known.$repeat[1]);
  if (known.$base64 !== undefined) return Buffer.from(known.$base64, 'base64');
  if (known.$pairs !== undefined) return new Map(known.$pairs.map(([key, value]) => [key, decodeValue(value)]));
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, decodeValue(value)]));
}

function answerBytes({ text = '', base64 = '', repeat = ['', 0] }: ServedAnswer): Buffer {
  const [unit, times] = repeat;
  return Buffer.concat([
    Buffer.from(text.replaceAll('{PORT}', '5000'), 'latin1'),
    Buffer.from(base64, 'base64'),
    Buffer.from(unit.repeat(times), 'latin1'),
  ]);
}

/** Calls back once with all bytes of a request, or as soon as its head is there. */
function onRequest(socket: Socket, early: boolean, then: (request: Buffer) => void): void {
  let data = Buffer.alloc(0);
  const read = (chunk: Buffer): void => {
    data = Buffer.concat([data, chunk]);
    const end = data.indexOf('\r\n\r\n');
    const length = /\r\ncontent-length: (\d+)/i.exec(data.subarray(0, end).toString('latin1'))?.[1] ?? '0';
    if (end < 0 || (!early && data.length < end + 4 + Number(length))) return;
    socket.off('data', read);
    socket.pause();
    then(early ? Buffer.alloc(0) : data);
  };
  socket.on('data', read);
}

/** Serves the answers of a case on that socket, one a connection, while `use` runs; what came is in `sent`. */
async function serving(path: string, answers: readonly ServedAnswer[], use: () => Promise<void>): Promise<string[]> {
  const sent: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {});
    const answer = answers[Math.min(sent.length, answers.length - 1)] ?? PLAIN;
    onRequest(socket, answer.early === true, (request) => {
      sent.push(settled(request));
      socket.write(answerBytes(answer), () => {
        if (answer.end !== 'keep') socket.destroy();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  await use();
  for (const socket of open) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
  return sent;
}

function settled(request: Buffer): string {
  const text = request.toString('latin1');
  const boundary = /boundary=([0-9a-f]{32})/.exec(text)?.[1];
  return boundary === undefined ? text : text.replaceAll(boundary, 'BOUNDARY'.padEnd(32, '_'));
}

function resultOf(answer: HttpAnswer): RecordedResult {
  const names = new Map(answer.headers.list.toReversed().map(([name]) => [name.toLowerCase(), name]));
  const headers = answer.headers.list.map(([name]) => name.toLowerCase());
  return {
    status: answer.status,
    reason: answer.reason,
    body: answer.body.toString('base64'),
    text: answer.text(),
    headers: [...new Set(headers)].map((name) => [names.get(name) ?? '', answer.headers.get(name) ?? ''] as const),
    cookies: answer.cookies.entries(),
    redirects: answer.redirects,
  };
}

/** Plays a case with our client, as the recorder did with python-requests. */
export async function play(
  directory: string,
  { requests, answers = [PLAIN] }: ExchangeCase,
): Promise<Omit<Recorded, 'name'>> {
  const socketPath = join(directory, 'app.sock');
  const http = openHttpClient({ endpoint: { socketPath }, totalMs: 20_000 });
  const results: RecordedResult[] = [];
  const sent = await serving(socketPath, answers, async () => {
    let jar: CookieJar | undefined;
    for (const { path, method = 'GET', cookies, ...rest } of requests) {
      const request = {
        ...(decodeValue(rest) as HttpRequest),
        ...(cookies === true && jar !== undefined ? { cookies: jar } : {}),
      };
      try {
        const answer = await http.request(method, path, request);
        jar = answer.cookies;
        results.push(resultOf(answer));
      } catch (error) {
        if (!(error instanceof HttpFailure)) throw error;
        results.push({ error: error.kind });
      }
    }
  });
  return { sent, results };
}
