import assert from 'node:assert/strict';
import {
  appendFile,
  cp,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError, type ErrorCode } from '@assay/protocol';
import { runCommand } from '@assay/sandbox';
import { bundleDigest, withDigest } from './bundle-digest.ts';
import { readHidden, readReference, readTask, readDataset } from './read-task.ts';
import { samplePythonContent } from './sample-content.ts';
import type { RepositoryTask, TaskContent } from './task.ts';
import { updateProof, writeTask } from './write-task.ts';

async function readRepositoryTask(directory: string): Promise<RepositoryTask> {
  const task = await readTask(directory);
  assert.ok(task.kind === 'repository');
  return task;
}

let home: string;
let content: TaskContent;
let original: string;
let counter = 0;

before(async () => {
  home = await mkdtemp(join(tmpdir(), 'assay-bundle-test-'));
  content = await samplePythonContent(home);
  original = join(home, 'original');
  await writeTask(original, content);
});
after(() => rm(home, { recursive: true, force: true }));

/** Copies the sample bundle and changes it; with `reseal` the digest is fixed up afterwards, as an attacker would. */
async function altered(change: (bundle: string) => Promise<void>, { reseal = false } = {}): Promise<string> {
  const bundle = join(home, `copy-${counter++}`);
  await cp(original, bundle, { recursive: true });
  await change(bundle);
  if (reseal) {
    const digest = await bundleDigest(bundle);
    const toml = join(bundle, 'task.toml');
    await writeFile(toml, withDigest(await readFile(toml, 'utf8'), digest));
  }
  return bundle;
}

async function rejects(work: Promise<unknown>, code: ErrorCode, details: Record<string, unknown> = {}): Promise<void> {
  await assert.rejects(work, (error: unknown) => {
    assert.ok(AssayError.is(error), String(error));
    assert.equal(error.code, code, error.message);
    for (const [key, value] of Object.entries(details)) {
      if (value instanceof RegExp) assert.match(String(error.details[key]), value);
      else assert.equal(error.details[key], value);
    }
    return true;
  });
}

describe('writing and reading', () => {
  test('what was written is read again', async () => {
    const task = await readRepositoryTask(original);
    assert.equal(task.id, 'adder-0a1b2c3d');
    assert.equal(task.instruction, content.instruction);
    const { digest, ...meta } = task.meta;
    assert.deepEqual(meta, content.meta);
    assert.equal(digest, await bundleDigest(original));
    assert.deepEqual(await readReference(task), content.reference);
    assert.deepEqual(await readHidden(task), content.hidden);
  });

  test('environment and verifier share the inode of every environment file', async () => {
    for (const name of ['repo.tar.gz', 'requirements.lock']) {
      assert.equal(
        (await stat(join(original, 'environment', name))).ino,
        (await stat(join(original, 'tests', 'environment', name))).ino,
      );
    }
  });

  test('writing the same again changes nothing, another task in its place is refused', async () => {
    await writeTask(original, content);
    await rejects(writeTask(original, { ...content, instruction: 'Something else\n' }), 'OUTPUT_OCCUPIED');
    assert.equal((await readTask(original)).instruction, content.instruction);
    assert.deepEqual(
      (await readdir(home)).filter((name) => name.startsWith('.assay-')),
      [],
    );
  });

  test('drafts of killed processes are removed, those of living ones stay', async () => {
    const parent = join(home, 'drafts');
    const killed = await runCommand(['sh', '-c', 'echo $$']);
    const dead = join(parent, `.assay-draft-${killed.stdout.toString().trim()}-abcdef`);
    const alive = join(parent, `.assay-draft-${process.ppid}-abcdef`);
    await mkdir(dead, { recursive: true });
    await mkdir(alive);
    await writeTask(join(parent, 'task'), content);
    assert.deepEqual((await readdir(parent)).sort(), [`.assay-draft-${process.ppid}-abcdef`, 'task']);
  });

  test('the digest does not depend on modes, but on every path and byte', async () => {
    const bundle = await altered(async (path) => {
      await runCommand(['chmod', '-R', 'a+x', path]);
    });
    assert.equal(await bundleDigest(bundle), await bundleDigest(original));
    await readTask(bundle);
  });

  test('a new proof is kept and the bundle is whole', async () => {
    const bundle = await altered(async () => {});
    const proof = { reference: { runs: 3, passes: 3 }, noop: { runs: 3, passes: 0 } };
    await updateProof(bundle, proof);
    const task = await readTask(bundle);
    assert.deepEqual(task.meta.proof, proof);
    assert.notEqual(task.meta.digest, (await readTask(original)).meta.digest);
    assert.deepEqual(task.toml['artifacts'], (await readTask(original)).toml['artifacts']);
  });

  test('solve.sh does what the reference says', async () => {
    const bundle = await altered(async () => {});
    const workspace = join(home, 'workspace');
    await mkdir(join(workspace, 'old'), { recursive: true });
    await writeFile(join(workspace, 'old', 'notes.txt'), 'gone');
    await writeFile(join(workspace, 'TODO'), 'gone');
    await writeFile(join(workspace, 'kept'), '');
    const script = join(bundle, 'solution', 'solve.sh');
    await writeFile(script, (await readFile(script, 'utf8')).replace('cd /workspace', `cd '${workspace}'`));
    const run = await runCommand(['sh', script]);
    assert.equal(run.exitCode, 0, run.stderr.toString());
    assert.deepEqual((await readdir(workspace)).sort(), ['adder.py', 'bin', 'kept']);
    assert.equal((await stat(join(workspace, 'bin', "it's here"))).mode & 0o777, 0o755);
    assert.deepEqual(await readFile(join(workspace, 'bin', "it's here")), Buffer.from([0, 255, 13, 10]));
  });

  test('a dataset is read sorted, files and hidden names in it are left alone', async () => {
    const dataset = join(home, 'dataset');
    await writeTask(join(dataset, 'two'), { ...content, name: 'assay/b' });
    await writeTask(join(dataset, 'one'), { ...content, name: 'assay/a' });
    await mkdir(join(dataset, '.assay-cache'));
    await writeFile(join(dataset, 'dataset.toml'), '');
    assert.deepEqual(
      (await readDataset(dataset)).tasks.map((task) => task.id),
      ['a', 'b'],
    );
    assert.deepEqual(
      (await readDataset(join(dataset, 'two'))).tasks.map((task) => task.id),
      ['b'],
    );
    await writeTask(join(dataset, 'three'), { ...content, name: 'assay/a' });
    await rejects(readDataset(dataset), 'TASK_UNSAFE', { detail: /two of its tasks are called a/ });
    await mkdir(join(dataset, 'empty'));
    await rm(join(dataset, 'three'), { recursive: true });
    const { tasks, broken } = await readDataset(dataset);
    assert.equal(tasks.length, 2);
    assert.deepEqual(
      broken.map(({ directory, error }) => [directory, AssayError.is(error) && error.code]),
      [[join(dataset, 'empty'), 'TASK_NOT_FOUND']],
    );
    await rejects(readDataset(join(home, 'nowhere')), 'TASK_NOT_FOUND');
    await rejects(readTask(home), 'TASK_NOT_FOUND');
  });

  test('a change that leads out of the repository is not written', async () => {
    for (const path of ['../x', '/x', 'a//b', 'a/./b', '.git/hooks/x', 'sub/.GIT/config', '']) {
      const reference = { files: [{ path, content: Buffer.from(''), executable: false }], deleted: [] };
      await rejects(writeTask(join(home, 'bad'), { ...content, reference }), 'TASK_UNSAFE');
      await rejects(
        writeTask(join(home, 'bad'), { ...content, reference: { files: [], deleted: [path] } }),
        'TASK_UNSAFE',
      );
    }
  });
});

describe('tampering', () => {
  test('every file, altered, removed or renamed, is noticed', async () => {
    const files = (await runCommand(['find', '.', '-type', 'f', '-printf', '%P\n'], { cwd: original })).stdout
      .toString()
      .trim()
      .split('\n');
    assert.ok(files.length > 14, files.join());
    const bundle = await altered(async () => {});
    for (const file of files) {
      const path = join(bundle, file);
      const content = await readFile(path);
      await appendFile(path, '\n');
      await rejects(readTask(bundle), 'TASK_ALTERED');
      await writeFile(path, content);
      if (file === 'task.toml') continue;
      await rename(path, `${path}x`);
      await rejects(readTask(bundle), 'TASK_ALTERED');
      await unlink(`${path}x`);
      await rejects(readTask(bundle), 'TASK_ALTERED');
      await writeFile(path, content);
    }
    await readTask(bundle);
  });

  test('a file too many is noticed, wherever it lies', async () => {
    for (const path of [
      'extra',
      '.hidden',
      'environment/extra',
      'solution/files/extra',
      'tests/hidden/files/tests/conftest.py',
      'tests/runner/extra',
    ]) {
      await rejects(readTask(await altered((bundle) => writeFile(join(bundle, path), ''))), 'TASK_ALTERED');
    }
  });

  test('links and special files are refused, also under a digest that fits', async () => {
    const outside = join(home, 'outside');
    await writeFile(outside, 'secret');
    const link1 = await altered((bundle) => symlink(outside, join(bundle, 'solution', 'link')), { reseal: false });
    await rejects(readTask(link1), 'TASK_UNSAFE', { detail: /solution\/link is a symbolic link/ });
    const directory = await altered(async (bundle) => {
      await rm(join(bundle, 'solution'), { recursive: true });
      await symlink(join(original, 'solution'), join(bundle, 'solution'));
    });
    await rejects(readTask(directory), 'TASK_UNSAFE');
    const toml = await altered(async (bundle) => {
      await unlink(join(bundle, 'task.toml'));
      await symlink(join(original, 'task.toml'), join(bundle, 'task.toml'));
    });
    await rejects(readTask(toml), 'TASK_UNSAFE');
    const pipe = await altered(async (bundle) => {
      await runCommand(['mkfifo', join(bundle, 'tests', 'pipe')]);
    });
    await rejects(readTask(pipe), 'TASK_UNSAFE', { detail: /neither a file nor a directory/ });
  });

  test('a hard link within the bundle is a file like any other', async () => {
    const bundle = await altered(async (path) => {
      await unlink(join(path, 'tests', 'environment', 'repo.tar.gz'));
      await link(join(path, 'environment', 'repo.tar.gz'), join(path, 'tests', 'environment', 'repo.tar.gz'));
    });
    await readTask(bundle);
  });

  test('a name that is not UTF-8 is refused', async () => {
    const bundle = await altered((path) =>
      writeFile(Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0xff, 0xfe])]), ''),
    );
    await rejects(readTask(bundle), 'TASK_UNSAFE', { detail: /is not UTF-8/ });
  });

  test('lists of a change that lead out are refused under a digest that fits', async () => {
    for (const [file, text, code] of [
      ['solution/deleted.json', '["../../etc/passwd"]', 'TASK_UNSAFE'],
      ['tests/hidden/deleted.json', '["/etc/passwd"]', 'TASK_UNSAFE'],
      ['tests/hidden/executable.json', '[".git/hooks/pre-commit"]', 'TASK_UNSAFE'],
      ['solution/deleted.json', '{"a": 1}', 'TASK_INVALID'],
      ['solution/deleted.json', '[', 'TASK_INVALID'],
    ] as const) {
      await rejects(readTask(await altered((bundle) => writeFile(join(bundle, file), text), { reseal: true })), code);
    }
    const git = await altered(
      async (bundle) => {
        await mkdir(join(bundle, 'solution/files/.git'));
        await writeFile(join(bundle, 'solution/files/.git/config'), '');
      },
      { reseal: true },
    );
    await rejects(readTask(git), 'TASK_UNSAFE');
  });

  test('control characters of foreign names do not reach the message', async () => {
    const bundle = await altered((path) => symlink('x', join(path, 'a\u001b[31m\nb')));
    await rejects(readTask(bundle), 'TASK_UNSAFE', { detail: /^"a\\u001b\[31m\\nb" is a symbolic link$/ });
  });
});

describe('task.toml', () => {
  const withToml = (edit: (text: string) => string, reseal = false): Promise<string> =>
    altered(
      async (bundle) => writeFile(join(bundle, 'task.toml'), edit(await readFile(join(bundle, 'task.toml'), 'utf8'))),
      { reseal },
    );
  const lineOf = async (text: string): Promise<number> =>
    (await readFile(join(original, 'task.toml'), 'utf8')).split('\n').indexOf(text) + 1;

  test('broken syntax names file, line and column', async () => {
    const bundle = await withToml((text) => text.replace('version = 1\n', 'version = = 1\n'));
    await rejects(readTask(bundle), 'TASK_INVALID', {
      file: join(bundle, 'task.toml'),
      line: await lineOf('version = 1'),
      field: /^column \d+$/,
    });
  });

  test('a wrong value names its line and field', async () => {
    const bundle = await withToml((text) => text.replace('kind = "repository"', 'kind = "riddle"'));
    await rejects(readTask(bundle), 'TASK_INVALID', {
      line: await lineOf('kind = "repository"'),
      field: 'metadata.assay.kind',
    });
    const list = await withToml((text) => text.replace('fail_to_pass = [', 'fail_to_pass = [1, '));
    await rejects(readTask(list), 'TASK_INVALID', {
      line: await lineOf('fail_to_pass = ["tests/test_adder.py::test_add"]'),
      field: 'metadata.assay.fail_to_pass.0',
    });
    const name = await withToml((text) => text.replace('"assay/adder-0a1b2c3d"', '"../adder"'));
    await rejects(readTask(name), 'TASK_INVALID', {
      line: await lineOf('name = "assay/adder-0a1b2c3d"'),
      field: 'task.name',
    });
  });

  test('a missing value names its table', async () => {
    const bundle = await withToml((text) => text.replace(/^interpreter = .*\n/m, ''));
    await rejects(readTask(bundle), 'TASK_INVALID', {
      line: await lineOf('[metadata.assay.environment]'),
      field: 'metadata.assay.environment.interpreter',
    });
    const plain = await withToml((text) => text.slice(0, text.indexOf('[metadata.assay]')));
    await rejects(readTask(plain), 'TASK_INVALID', { line: await lineOf('[metadata]'), field: 'metadata.assay' });
    await rejects(readTask(await withToml(() => '')), 'TASK_INVALID', { line: 1 });
  });

  test('a digest line that hides another is refused', async () => {
    const line = `digest = "sha256:${'1'.repeat(64)}"\n`;
    await rejects(readTask(await withToml((text) => `note = """\n${line}"""\n${text}`, true)), 'TASK_INVALID', {
      field: 'metadata.assay.digest',
    });
    await rejects(readTask(await withToml((text) => text.replace(/^digest = /m, 'digest  = '), true)), 'TASK_INVALID', {
      field: 'metadata.assay.digest',
    });
  });

  test('text of every kind comes back as it was', async () => {
    const ids = ['a "quoted" \\ one', 'line\nbreak\ttab', '\u007f\u0001é 漢 😀', "'single'", '[table]', 'digest = "x"'];
    const bundle = join(home, 'texts');
    await writeTask(bundle, {
      ...content,
      description: '# x\n[metadata]\n',
      meta: { ...content.meta, pass_to_pass: ids },
    });
    assert.deepEqual((await readRepositoryTask(bundle)).meta.pass_to_pass, ids);
  });
});
