import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { TestCommand } from '@assay/protocol';
import { bubblewrapProvider, type ExecResult, type SandboxOptions, type SandboxProvider } from '@assay/sandbox';
import type { BuildRequest, PreparedEnvironment } from './ecosystem.ts';
import { ECOSYSTEMS } from './index.ts';

/**
 * Shared set-up of the environment tests: a directory that is removed afterwards, and a real provider that records what
 * it was asked for.
 */
export class EnvironmentFixture {
  readonly directory: string;
  /** Options of every sandbox that was made. */
  readonly created: SandboxOptions[] = [];
  readonly provider: SandboxProvider;

  private constructor(directory: string) {
    this.directory = directory;
    const inner = bubblewrapProvider();
    this.provider = {
      create: (options = {}) => {
        this.created.push(options);
        return inner.create(options);
      },
      destroy: (id) => inner.destroy(id),
    };
  }

  static async make(): Promise<EnvironmentFixture> {
    return new EnvironmentFixture(await mkdtemp(join(tmpdir(), 'assay-environment-')));
  }

  async dispose(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }

  /** Writes a tree and answers with its path. */
  async tree(name: string, files: Record<string, string>): Promise<string> {
    for (const [path, text] of Object.entries(files)) {
      const target = join(this.directory, name, path);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, text);
    }
    return join(this.directory, name);
  }

  request(treeDirectory: string, runner: TestCommand['runner'], t0: string): BuildRequest {
    const ecosystem = ECOSYSTEMS.find(({ tests }) => tests.runners.includes(runner))?.id;
    return {
      treeDirectory,
      t0: new Date(t0),
      command: TestCommand.parse({ ecosystem, runner }),
      provider: this.provider,
      cacheDirectory: join(this.directory, 'cache'),
    };
  }

  /** Runs a command as a verifier would: the tree in the workspace, the environment around it, no network. */
  async runIn(environment: PreparedEnvironment, tree: string, argv: string[], writable = false): Promise<ExecResult> {
    const sandbox = await this.provider.create({
      mounts: [{ kind: 'layers', sources: [tree], target: '/workspace' }, ...environment.mounts({ writable })],
      env: environment.env,
      network: { kind: 'none' },
    });
    try {
      return await sandbox.exec('', { argv });
    } finally {
      await sandbox.destroy();
    }
  }

  /** Copies what a bundle would carry, as a bundle would hold it. */
  async bundle(environment: PreparedEnvironment, name: string): Promise<string> {
    const directory = join(this.directory, name);
    await mkdir(directory, { recursive: true });
    for (const [path, source] of environment.bundleFiles) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await copyFile(source, join(directory, path));
    }
    return directory;
  }
}

/** A listener on the host's loopback interface that counts who comes. */
export async function countingListener(): Promise<{
  port: number;
  connections: () => number;
  close: () => Promise<void>;
}> {
  let connections = 0;
  const server: Server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => {});
    socket.end('hello\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    connections: () => connections,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
