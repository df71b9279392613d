// What needs files of the package beside its modules: the relay of a lane, the drivers of languages. Languages are
// given as arguments.
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runTests } from '@assay/sandbox';
import { bubblewrapProvider } from '@assay/sandbox/bubblewrap';

const SUBMISSIONS = {
  python: 'def double(n):\n    return 2 * n\n',
  typescript: 'export function double(n: number): number { return 2 * n; }',
  go: 'func double(n int64) int64 { return 2 * n }',
  rust: 'pub fn double(n: i64) -> i64 { 2 * n }',
};
const directory = mkdtempSync(join(tmpdir(), 'assay-lane-'));
const server = createServer((socket) => socket.end('through the lane'));
const provider = bubblewrapProvider();
try {
  const socket = join(directory, 'lane');
  await new Promise((resolve) => {
    server.listen(socket, resolve);
  });
  const sandbox = await provider.create({ network: { kind: 'lanes', lanes: [{ port: 8080, socket }] } });
  const lane = await sandbox.exec(
    `python3 -c 'import socket; print(socket.create_connection(("127.0.0.1", 8080)).recv(100).decode())'`,
  );
  await sandbox.destroy();
  const results = {};
  for (const language of process.argv.slice(2)) {
    const options = {
      language,
      signature: { parameters: [{ kind: 'i64' }], returns: { kind: 'i64' } },
      timeoutMs: 20_000,
    };
    results[language] = await runTests(
      provider,
      SUBMISSIONS[language],
      'double',
      [{ input: [21], expected: 42 }],
      options,
    );
  }
  process.stdout.write(JSON.stringify({ lane, results }));
} finally {
  server.close();
  rmSync(directory, { recursive: true, force: true });
}
