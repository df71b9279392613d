import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { ExecOptions, ExecResult, Sandbox, SandboxOptions, SandboxProvider } from '@assay/sandbox';
import { eventually, NODE, NODE_MOUNT, withHostDirectory, withSandbox } from './conformance-case.ts';

export const PORT = 5000;

/**
 * Listens on HOST, gives back what it is sent, ends its half of a connection when the other has ended, and ends itself
 * on `exit`.
 */
export const ECHO = `
import { createServer } from 'node:net';
createServer({ allowHalfOpen: true }, (socket) => {
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    if (String(chunk) === 'exit') socket.end('bye', () => process.exit(7));
  });
  socket.pipe(socket);
}).listen(${PORT}, 'HOST');
`;

/** `other` leads to the next port. */
export interface Running {
  sandbox: Sandbox;
  socket: string;
  other: string;
  run: Promise<ExecResult>;
}

export function runScript(sandbox: Sandbox, script: string, options: ExecOptions = {}): Promise<ExecResult> {
  return sandbox.exec('', { argv: [NODE, '--input-type=module', '-e', script], timeout: 60_000, ...options });
}

/** Runs a script with its port exposed. The script has to end by itself, or is killed with the sandbox. */
export function withServer(
  provider: SandboxProvider,
  script: string,
  use: (running: Running) => Promise<void>,
  options: SandboxOptions = {},
): Promise<void> {
  return withHostDirectory((directory) =>
    withSandbox(provider, { mounts: [NODE_MOUNT], ...options }, async (sandbox) => {
      const [socket, other] = [join(directory, 's'), join(directory, 'other')];
      const run = runScript(sandbox, script, {
        expose: [
          { port: PORT, socket },
          { port: PORT + 1, socket: other },
        ],
      });
      run.catch(() => undefined);
      await eventually('the sockets are there', () => existsSync(socket) && existsSync(other));
      await use({ sandbox, socket, other, run });
    }),
  );
}

export async function listening({ sandbox }: Pick<Running, 'sandbox'>, port = PORT): Promise<void> {
  await eventually('the server listens', async () => (await sandbox.listens?.(port)) ?? false);
}

/** Sends, ends its half, and returns all that comes back; `null` when the connection is reset. */
export async function exchange(socket: string, message: string | Uint8Array): Promise<Buffer | null> {
  const connection = connect({ path: socket, allowHalfOpen: true });
  const chunks: Buffer[] = [];
  try {
    connection.on('data', (chunk: Buffer) => chunks.push(chunk));
    connection.end(message);
    await once(connection, 'end');
    return Buffer.concat(chunks);
  } catch {
    return null;
  } finally {
    connection.destroy();
  }
}

export async function text(socket: string, message: string): Promise<string | null> {
  return (await exchange(socket, message))?.toString('utf8') ?? null;
}

export function opened(socket: string): Promise<Socket> {
  const connection = connect({ path: socket, allowHalfOpen: true });
  connection.on('error', () => undefined);
  return once(connection, 'connect').then(() => connection);
}

/** Waits until the other side has ended a connection, however it does. */
export async function closed(connection: Socket): Promise<void> {
  const ended = new Promise<void>((resolve) => connection.once('end', resolve).once('close', () => resolve()));
  connection.resume();
  if (!connection.readableEnded && !connection.closed) await ended;
  connection.destroy();
}

/** A process of ours that makes a sandbox with an exposed port and says when it runs. */
export function ownerScript(provider: string, socket: string): string {
  const script = ECHO.replace('HOST', '127.0.0.1');
  return `
    import * as providers from ${JSON.stringify(import.meta.resolve('@assay/sandbox'))};
    const sandbox = await providers[${JSON.stringify(`${provider}Provider`)}]().create({ mounts: ${JSON.stringify([NODE_MOUNT])} });
    void sandbox.exec('', { argv: ${JSON.stringify([NODE, '--input-type=module', '-e', script])}, expose: [{ port: ${PORT}, socket: ${JSON.stringify(socket)} }] });
    while (!(await sandbox.listens(${PORT}))) await new Promise((resolve) => setTimeout(resolve, 20));
    console.log('listens');`;
}
