// What needs files of the package beside its modules: a process provider, the relay of a lane, a language's driver.
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runTests } from '@assay/sandbox';
import { bubblewrapProvider } from '@assay/sandbox/bubblewrap';

const directory = mkdtempSync(join(tmpdir(), 'assay-lane-'));
const server = createServer((socket) => socket.end('through the lane'));
const provider = bubblewrapProvider();
try {
  const socket = join(directory, 'lane');
  await new Promise((resolve) => { server.listen(socket, resolve); });
  const sandbox = await provider.create({ network: { kind: 'lanes', lanes: [{ port: 8080, socket }] } });
  const lane = await sandbox.exec(`python3 -c 'import socket; print(socket.create_connection(("127.0.0.1", 8080)).recv(100).decode())'`);
  await sandbox.destroy();
  const run = (language, code) => runTests(provider, code, 'double', [{ input: [21], expected: 42 }], { language, timeoutMs: 20_000 });
  const python = await run('python', 'def double(n):\n    return 2 * n\n');
  const typescript = await run('typescript', 'export function double(n: number): number { return 2 * n; }');
  process.stdout.write(JSON.stringify({ lane, python, typescript }));
} finally {
  server.close();
  rmSync(directory, { recursive: true, force: true });
}
