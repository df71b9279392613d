import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { create } from 'tar';
import type { TaskContent } from './task.ts';

/** Makes a small task below `directory` for tests of bundles: addition is wrong, and one hidden test shows it. */
export async function samplePythonContent(directory: string): Promise<TaskContent> {
  const tree = join(directory, 'tree');
  await mkdir(join(tree, 'tests'), { recursive: true });
  await writeFile(join(tree, 'adder.py'), 'def add(a, b):\n    return a - b\n');
  await writeFile(
    join(tree, 'tests', 'test_adder.py'),
    'from adder import add\n\n\ndef test_zero():\n    assert add(1, 0) == 1\n',
  );
  await writeFile(join(tree, 'pytest.ini'), '[pytest]\npythonpath = .\n');
  await writeFile(join(tree, 'TODO'), 'To be deleted too.\n');
  await mkdir(join(tree, 'old'));
  await writeFile(join(tree, 'old', 'notes.txt'), 'To be deleted.\n');
  const repoTar = join(directory, 'repo.tar.gz');
  await create({ gzip: true, file: repoTar, cwd: tree, portable: true }, ['.']);
  const lock = join(directory, 'requirements.lock');
  await writeFile(lock, '');
  const hiddenTest =
    'from adder import add\n\n\ndef test_zero():\n    assert add(1, 0) == 1\n\n\n' +
    'def test_add():\n    assert add(1, 2) == 3\n';
  return {
    name: 'assay/adder-0a1b2c3d',
    description: 'Adding gives the difference',
    instruction: '# Adding two numbers gives their difference\n',
    repoTar,
    environmentFiles: new Map([['requirements.lock', lock]]),
    reference: {
      files: [
        { path: 'adder.py', content: Buffer.from('def add(a, b):\n    return a + b\n'), executable: false },
        { path: "bin/it's here", content: Buffer.from([0, 255, 13, 10]), executable: true },
      ],
      deleted: ['TODO', 'old/notes.txt'],
    },
    referenceDiff:
      '--- a/adder.py\n+++ b/adder.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n',
    hidden: {
      files: [{ path: 'tests/test_adder.py', content: Buffer.from(hiddenTest), executable: false }],
      deleted: [],
    },
    meta: sampleMeta(),
  };
}

export function sampleMeta(): TaskContent['meta'] {
  return {
    version: 1,
    kind: 'repository',
    pipeline: 'commit_runtime',
    source: 'https://example.org/adder',
    base_commit: 'a'.repeat(40),
    t0: '2024-01-01T00:00:00Z',
    fail_to_pass: ['tests/test_adder.py::test_add'],
    pass_to_pass: ['tests/test_adder.py::test_zero'],
    quarantined: [],
    absent: [],
    specificity: 0,
    statement: [],
    network: 'none',
    test: { ecosystem: 'python', runner: 'pytest', args: [], files: ['tests/test_adder.py'], timeoutSec: 60 },
    environment: {
      ecosystem: 'python',
      interpreter: '3.11.7',
      digest: 'b'.repeat(64),
      resolution: 'none',
      cutoff: '2024-01-01T00:00:00Z',
      pins: [],
      excluded: ['adder'],
    },
    steering: ['**/conftest.py', 'pytest.ini'],
  };
}
