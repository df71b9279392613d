import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeTemporaryDirectory } from '@assay/files/temporary-directory';
import { AssayError } from '@assay/protocol';
import type { ExecResult, Sandbox, SandboxProvider } from '@assay/sandbox';
import { openHttpClient, type HttpClient } from '../http/http-client.ts';
import { HttpFailure, type HttpFailureKind } from '../http/http-failure.ts';
import type { Profile } from '../profile.ts';
import { PROFILE_RULES } from '../profile-rules.ts';
import type { TestApp } from '../test-app.ts';
import { DATABASE_MOUNTS, readTables, runSql } from './app-database.ts';
import type { AppImage } from './app-image.ts';
import type { ForkServers } from './fork-servers.ts';

export const APP_PORT = 5000;
/** An app is asked to listen on 0.0.0.0: who listens on 127.0.0.1 alone is reached by nobody. */
const FROM_OUTSIDE = '127.0.0.2';
const MIB = 1024 * 1024;
/** As upstream's container has; the rest bounds what upstream leaves open. */
const LIMITS = { memoryBytes: 1024 * MIB, pids: 512, diskBytes: 2048 * MIB, outputBytes: MIB };
const SECRET = 'supers3cret';
const POLL_MS = 10;
/** How long the first connection waits for the app to listen, which costs less than asking again and again. */
const PATIENCE_MS = 1000;
/** An app that ends closes its connections before its port, and is gone a moment later. */
const DYING_MS = 2000;
const CLOSING_MS = 500;
/** The time of the question by which a server that goes down after its last answer is found out. */
const LAST_PROBE_MS = 250;
const BROKEN: ReadonlySet<HttpFailureKind> = new Set(['refused', 'closed', 'incomplete']);
/** Time limit of one probe whether the app is up: an app may accept a connection and never answer. */
const PROBE_MS = 5000;
/** How much of what the app printed is kept for a person. */
const OUTPUT_SHOWN = 4000;

export interface StartOptions {
  provider: SandboxProvider;
  profile: Profile;
  /** Milliseconds until the app must have answered its first request. */
  startTimeoutMs: number;
  /** Milliseconds of one request that names no other bound. Default: as of an `HttpClient`. */
  requestMs?: number;
  /** Milliseconds that the instance lives at most. */
  lifeMs: number;
  /** Default: the app is a new process. */
  forkServers?: ForkServers;
  /** Ends waiting and every request; the instance is stopped by `stop`. */
  signal: AbortSignal;
}

/** The app did not come up: it ended, or did not answer in time. */
export class NeverStarted extends Error {
  readonly timedOut: boolean;

  constructor(message: string, timedOut: boolean) {
    super(message);
    this.name = 'NeverStarted';
    this.timedOut = timedOut;
  }
}

export interface StartedApp extends TestApp {
  /** As `alive`, where the app may be about to end of what it did last. */
  survives(): Promise<boolean>;
  /** How it ended by itself; null while it runs. */
  ended(): ExecResult | null;
  /** Kills it and removes every trace. */
  stop(): Promise<void>;
}

/**
 * A fresh instance in a sandbox of its own, up and answering. Throws `NeverStarted`; whatever else it throws is no
 * fault of the app.
 */
export async function startApp(image: AppImage, options: StartOptions): Promise<StartedApp> {
  const { provider, startTimeoutMs, lifeMs, signal, forkServers } = options;
  const directory = await makeTemporaryDirectory('app');
  const stopping = new AbortController();
  let sandbox: Sandbox | null = null;
  let running: Promise<unknown> = Promise.resolve();
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running;
    await sandbox?.destroy();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const copy = (await forkServers?.copyFor(image)) ?? {};
    sandbox = await provider.create({
      copiesOf: copy.copy?.of,
      user: 'root',
      cwd: '/app',
      env: { ...image.env, APP_SECRET: SECRET },
      limits: LIMITS,
      network: { kind: 'none' },
      mounts: [...image.mounts, ...DATABASE_MOUNTS],
      root: image.root,
    });
    const state: { ended: ExecResult | null; failure: unknown } = { ended: null, failure: null };
    const socketPath = join(directory, 'app.sock');
    running = sandbox
      .exec(image.startCommand, {
        expose: [{ port: APP_PORT, socket: socketPath, address: FROM_OUTSIDE, patienceMs: PATIENCE_MS }],
        timeout: lifeMs,
        signal: stopping.signal,
        ...copy,
      })
      .then(
        (result) => void (state.ended = result),
        (error: unknown) => void (state.failure = stopping.signal.aborted ? null : error),
      );
    const app = appOf(sandbox, options, { socketPath, running, ended: () => state.ended, stop });
    const { headStartMs } = PROFILE_RULES[options.profile];
    if (headStartMs > 0) await Promise.race([running, sleep(headStartMs, undefined, { signal })]);
    await waitUntilUp({ sandbox, socketPath, state, host: hostOf(options), startTimeoutMs, signal });
    return app;
  } catch (error) {
    await stop();
    throw error;
  }
}

function hostOf({ profile }: StartOptions): { host?: string } {
  const { host } = PROFILE_RULES[profile];
  return { host: host ?? undefined };
}

interface Starting {
  sandbox: Sandbox;
  socketPath: string;
  host: { host?: string };
  state: { ended: ExecResult | null; failure: unknown };
  startTimeoutMs: number;
  signal: AbortSignal;
}

/** Any answer means that it is up. */
async function waitUntilUp({ sandbox, socketPath, host, state, startTimeoutMs, signal }: Starting): Promise<void> {
  const deadline = performance.now() + startTimeoutMs;
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    const probe = openHttpClient({
      endpoint: { socketPath },
      ...host,
      totalMs: Math.max(1, Math.min(PATIENCE_MS + PROBE_MS, deadline - performance.now())),
      signal,
    });
    const failure = await probe.get('/').then(
      () => null,
      (error: unknown) => error,
    );
    if (failure === null) return;
    if (!(failure instanceof HttpFailure)) throw failure;
    if (state.failure !== null) throw state.failure;
    if (state.ended !== null)
      throw new NeverStarted(
        `it ended with exit code ${state.ended.exitCode} before it answered: ${tail(state.ended)}`,
        false,
      );
    if (failure.kind !== 'timeout') await sleep(POLL_MS);
  }
  const listens = (await sandbox.listens?.(APP_PORT)) ?? false;
  throw new NeverStarted(
    `it did not answer on 0.0.0.0:${APP_PORT} within ${startTimeoutMs / 1000} s; ${listens ? 'something' : 'nothing'} listens on that port`,
    true,
  );
}

interface Running {
  socketPath: string;
  running: Promise<unknown>;
  ended: () => ExecResult | null;
  stop: () => Promise<void>;
}

function appOf(sandbox: Sandbox, options: StartOptions, { socketPath, running, ended, stop }: Running): StartedApp {
  const { requestMs, signal } = options;
  const { mustListen, lastLookMs, filesAreMemory } = PROFILE_RULES[options.profile];
  const { readFileBytes, kindOf, usage, listens, diskUsage } = requireObservation(sandbox);
  const http = noting(openHttpClient({ endpoint: { socketPath }, signal, ...hostOf(options), totalMs: requestMs }));
  const alive = async (): Promise<boolean> => {
    if (http.broke) await Promise.race([running, sleep(CLOSING_MS, undefined, { ref: false })]);
    const answers = await listens(APP_PORT);
    if (!answers) await Promise.race([running, sleep(DYING_MS, undefined, { ref: false })]);
    return ended() === null && (answers || !mustListen);
  };
  return {
    http: http.client,
    signal,
    ended,
    stop,
    put: (path, content) => sandbox.writeFile(path, content),
    get: async (path) => ((await kindOf(path)) === 'file' ? Buffer.from(await readFileBytes(path)) : null),
    sql: (statement) => runSql(sandbox, statement),
    tables: (options = {}) => readTables(sandbox, options),
    alive,
    survives: async () => {
      if (lastLookMs !== null) await Promise.race([running, sleep(lastLookMs, undefined, { ref: false })]);
      else if (!http.broke && ended() === null)
        await http.client.get('/', { totalMs: LAST_PROBE_MS }).catch(() => null);
      return await alive();
    },
    memory: async () => {
      const { memoryBytes, memoryUsageBytes, diskBytes, exact } = await usage();
      // All that an app writes lies in memory here.
      return { bytes: filesAreMemory ? memoryUsageBytes : Math.max(0, memoryBytes - diskBytes), exact };
    },
    temporaryBytes: () => diskUsage('/tmp'),
  };
}

/** The same client, which notes when a connection broke off. */
function noting(inner: HttpClient): { client: HttpClient; readonly broke: boolean } {
  let broke = false;
  const request: HttpClient['request'] = async (...parts) => {
    try {
      return await inner.request(...parts);
    } catch (error) {
      if (error instanceof HttpFailure && BROKEN.has(error.kind)) broke = true;
      throw error;
    }
  };
  const by =
    (method: string) =>
    (...parts: Parameters<HttpClient['get']>) =>
      request(method, ...parts);
  return {
    client: { get: by('GET'), post: by('POST'), put: by('PUT'), delete: by('DELETE'), request },
    get broke() {
      return broke;
    },
  };
}

type Observation = Required<Pick<Sandbox, 'readFileBytes' | 'kindOf' | 'usage' | 'listens' | 'diskUsage'>>;

/** Throws `IMPOSSIBLE`: the provider was chosen wrongly. */
function requireObservation(sandbox: Sandbox): Observation {
  const { readFileBytes, kindOf, usage, listens, diskUsage } = sandbox;
  if (!readFileBytes || !kindOf || !usage || !listens || !diskUsage)
    throw new AssayError('IMPOSSIBLE', { detail: 'an app was started by a provider that cannot observe it' });
  return {
    readFileBytes: readFileBytes.bind(sandbox),
    kindOf: kindOf.bind(sandbox),
    usage: usage.bind(sandbox),
    listens: listens.bind(sandbox),
    diskUsage: diskUsage.bind(sandbox),
  };
}

/** The last that it printed, on one line; untrusted. */
export function tail({ stdout, stderr }: Pick<ExecResult, 'stdout' | 'stderr'>): string {
  const text = `${stdout}\n${stderr}`.slice(-OUTPUT_SHOWN).trim();
  return text.split('\n').slice(-3).join(' | ').slice(-400);
}
