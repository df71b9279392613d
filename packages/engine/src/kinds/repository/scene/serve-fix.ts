import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { OpenRepositoryTask } from '../../../verify/open-repository-task.ts';

export interface FixServer {
  origin: string;
  /** Answers each datagram with the neighbour's secret. */
  datagramPort: number;
  close(): Promise<void>;
}

/**
 * The world outside, on the host's loopback interface: a code host with the pull request, a registry with the fixed
 * release, mirrors of both, and listeners that another trial left open. It runs sealed and unsealed alike; whether the
 * sandbox can reach it is the seal's matter.
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
    else if (path.endsWith('-fixed.tgz') || path.endsWith('/submission.tgz')) response.end(archive);
    else if (path.endsWith('/neighbour')) response.end(`${neighbourSecret}\n`);
    else response.writeHead(404).end('not found\n');
  });
  const datagrams = createSocket('udp4');
  datagrams.on('message', (_, { port, address }) => datagrams.send(`${neighbourSecret}\n`, port, address));
  datagrams.bind(0, '127.0.0.1');
  await once(datagrams, 'listening');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${portOf(server)}`,
    datagramPort: portOf(datagrams),
    close: async () => {
      datagrams.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function portOf(listener: Server | Socket): number {
  const address = listener.address();
  return typeof address === 'object' && address ? address.port : 0;
}
