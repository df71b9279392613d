import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { OpenRepositoryTask } from '../../../verify/open-repository-task.ts';

export interface FixServer {
  origin: string;
  close(): Promise<void>;
}

/**
 * The world outside, on the host's loopback interface: a code host with the pull request, a registry with the fixed
 * release, and a listener that another trial left open. It runs sealed and unsealed alike; whether the sandbox can
 * reach it is the seal's matter.
 */
export async function serveFix(
  { task }: OpenRepositoryTask,
  { release, neighbourSecret }: { release: string; neighbourSecret: string },
): Promise<FixServer> {
  const diff = await readFile(join(task.directory, 'solution', 'reference.diff'));
  const archive = await readFile(release);
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path.endsWith('/pull/1.diff')) response.end(diff);
    else if (path.endsWith('-fixed.tgz')) response.end(archive);
    else if (path.endsWith('/neighbour')) response.end(`${neighbourSecret}\n`);
    else response.writeHead(404).end('not found\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${portOf(server)}`, close: () => closeServer(server) };
}

function portOf(server: Server): number {
  const address: string | AddressInfo | null = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
