/**
 * Measures what the model lane adds to a request to a service on this machine that answers at once: latency of one
 * request after another, direct and through the lane on its Unix socket; 200 streams at the same time, every byte
 * compared; and memory.
 *
 *     node bench/lanes.ts [--requests 300] [--streams 200] [--json]
 */
import { fork, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import http from 'node:http';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { openModelLane } from '@assay/lanes/model-lane/model-lane';

const EVENTS = 200;
const EVENT = `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ delta: { content: 'some words ' } }] })}\n\n`;
const END = `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] })}\n\ndata: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 400 } })}\n\ndata: [DONE]\n\n`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string', default: '300' },
      streams: { type: 'string', default: '200' },
      json: { type: 'boolean', default: false },
    },
  });
  const [requests, streams] = [Number(values.requests), Number(values.streams)];
  const { child, port } = await startService();
  let records = 0;
  const lane = await openModelLane({
    upstream: { endpoint: `http://127.0.0.1:${port}`, dialect: 'openai-chat', apiKey: 'bench-key-that-is-long' },
    models: ['m'],
    budgets: { requests: 1_000_000 },
    record: () => (records += 1),
  });
  try {
    const direct = new Client({ port }, lane.token);
    const through = new Client({ socketPath: lane.socket ?? '' }, lane.token);
    for (let count = 0; count < 50; count += 1) await Promise.all([direct.ask(false), through.ask(false)]);
    const [near, far]: [number[], number[]] = [[], []];
    // In turns, so that what else this machine does falls on both.
    for (let count = 0; count < requests; count += 1) {
      near.push((await direct.ask(false)).firstByteMs);
      far.push((await through.ask(false)).firstByteMs);
    }
    const rounds = await streamRounds(through, streams);
    const addedMs = median(far) - median(near);
    const result = {
      requests,
      bytesOfRequest: BODY.length,
      directP50Ms: round2(median(near)),
      laneP50Ms: round2(median(far)),
      addedP50Ms: round2(addedMs),
      streams,
      streamsLost: rounds.reduce((sum, { lost }) => sum + lost, 0),
      roundMs: median(rounds.map(({ elapsedMs }) => elapsedMs)),
      rssMiB: rounds.map(({ rssMiB }) => rssMiB),
      retries: lane.usage().retries,
      records,
      bars: {
        addedUnder3Ms: addedMs < 3,
        noLoss: rounds.every(({ lost }) => lost === 0),
        memoryFlat: (rounds.at(-1)?.rssMiB ?? 0) < 1.15 * (rounds[7]?.rssMiB ?? 0),
      },
    };
    console.log(values.json ? JSON.stringify(result) : JSON.stringify(result, null, 2));
  } finally {
    await lane.close();
    child.kill();
  }
}

/** Runs several rounds of concurrent streams. Returns lost streams, time and memory of each round. */
async function streamRounds(
  through: Client,
  streams: number,
): Promise<{ lost: number; elapsedMs: number; rssMiB: number }[]> {
  const expected = createHash('sha256')
    .update(EVENT.repeat(EVENTS) + END)
    .digest('hex');
  const rounds = [];
  for (let round = 0; round < 16; round += 1) {
    const start = performance.now();
    const answers = await Promise.all(Array.from({ length: streams }, () => through.ask(true)));
    rounds.push({
      lost: answers.filter(({ sha256 }) => sha256 !== expected).length,
      elapsedMs: Math.round(performance.now() - start),
      rssMiB: Math.round(process.memoryUsage.rss() / 1024 / 1024),
    });
  }
  return rounds;
}

/** About what an agent sends in its tenth turn. */
const BODY = JSON.stringify({
  model: 'm',
  messages: Array.from({ length: 20 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: 'some words '.repeat(200),
  })),
});

class Client {
  readonly #where: http.RequestOptions;
  readonly #agent = new http.Agent({ keepAlive: true });
  readonly #token: string;

  constructor(where: http.RequestOptions, token: string) {
    this.#where = where;
    this.#token = token;
  }

  ask(stream: boolean): Promise<{ firstByteMs: number; sha256: string }> {
    const body = stream ? BODY.replace('{', '{"stream":true,') : BODY;
    const start = performance.now();
    return new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        'content-length': body.length,
        authorization: `Bearer ${this.#token}`,
      };
      const request = http.request(
        { ...this.#where, path: '/v1/chat/completions', method: 'POST', agent: this.#agent, headers },
        (response) => {
          const firstByteMs = performance.now() - start;
          const hash = createHash('sha256');
          response
            .on('data', (chunk: Buffer) => hash.update(chunk))
            .on('end', () => resolve({ firstByteMs, sha256: hash.digest('hex') }))
            .on('error', reject);
        },
      );
      request.on('error', reject).end(body);
    });
  }
}

function startService(): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(import.meta.filename, ['--serve']);
  return new Promise((resolve, reject) =>
    child.once('message', (port) => resolve({ child, port: Number(port) })).once('error', reject),
  );
}

/** In a process of its own, so that its work is not the lane's. */
function serve(): void {
  const server = http.createServer((request, response) => {
    const pieces: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => pieces.push(chunk))
      .on('end', () => {
        if (!Buffer.concat(pieces).includes('"stream":true')) {
          response
            .writeHead(200, { 'content-type': 'application/json' })
            .end('{"object":"chat.completion","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}');
          return;
        }
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        let sent = 0;
        const timer = setInterval(() => {
          for (let count = 0; count < 10; count += 1) response.write(EVENT);
          sent += 10;
          if (sent < EVENTS) return;
          clearInterval(timer);
          response.end(END);
        }, 20);
      });
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.(typeof address === 'object' ? address?.port : 0);
  });
  process.on('disconnect', () => process.exit(0));
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function round2(value: number): number {
  return Math.round(value * 100) / 100;
}

if (process.argv.includes('--serve')) serve();
else await main();
