import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { REJECTION_REASONS, RESULTS, SEALS } from '@assay/protocol';
import { cliPages } from '../../../build/cli-pages.ts';
import { schemasFile } from '../../../build/update-docs.ts';
import { COMMANDS, GROUPS } from './commands/index.ts';
import { version } from './version.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8');

/** The rows of every table on a page, cells trimmed, by their first cell without its back quotes. */
function tableRows(page: string): Map<string, string> {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  return new Map(
    rows.map((row) => {
      const [first = '', second = ''] = row
        .split(/(?<!\\)\|/)
        .slice(1)
        .map((cell) => cell.trim());
      return [first.replaceAll('`', ''), second];
    }),
  );
}

describe('docs and code say the same', () => {
  test('rejection reasons', async () => {
    assert.deepEqual(Object.fromEntries(tableRows(await read('docs/rejection-reasons.md'))), REJECTION_REASONS);
  });

  test('every rejection reason says what to do about it', async () => {
    const page = await read('docs/rejection-reasons.md');
    for (const reason of Object.keys(REJECTION_REASONS))
      assert.match(page, new RegExp(`^\\*\\*\`${reason}\`\\*\\* \\S`, 'm'));
  });

  test('seals', async () => {
    assert.deepEqual(Object.fromEntries(tableRows(await read('docs/seals.md'))), SEALS);
  });

  test('what is made from code is up to date: pages of commands, schemas (npm run docs)', async () => {
    for (const [path, page] of await cliPages()) assert.equal(await readFile(path, 'utf8'), page, path);
    const { path, text } = schemasFile();
    assert.equal(await readFile(path, 'utf8'), text, path);
  });

  test('every command declares its result, and no other does', () => {
    assert.deepEqual(Object.keys(RESULTS).sort(), COMMANDS.map(({ name }) => name).sort());
  });

  test('every group of commands has a summary, and no other has', () => {
    const groups = COMMANDS.flatMap(({ name }) => (name.includes(' ') ? name.split(' ').slice(0, 1) : []));
    assert.deepEqual(Object.keys(GROUPS).sort(), [...new Set(groups)].sort());
  });

  test('the version', async () => {
    for (const name of ['engine', 'protocol', 'sandbox', 'server']) {
      const manifest: { version: string } = JSON.parse(await read(`packages/${name}/package.json`));
      assert.equal(manifest.version, version);
    }
  });

  test('attacks that succeed with node-vm', async () => {
    const declared = await read('packages/sandbox/src/providers/node-vm/node-vm-attacks.test.ts');
    const names = [...declared.matchAll(/^ {4}'([^']+)':/gm)].map(([, name = '']) => name);
    assert.ok(names.length > 0);
    const [, section = ''] = (await read('docs/threat-model.md')).split('`node-vm` is no boundary.');
    const listed = [...(section.split('\n\nWhat is left')[0] ?? '').matchAll(/^- (.+)$/gm)].map(
      ([, name = '']) => name,
    );
    assert.deepEqual(listed.sort(), names.sort());
  });

  test('links between pages lead somewhere', async () => {
    for (const page of [
      'README.md',
      'CONTRIBUTING.md',
      'docs/cli.md',
      ...(await readdir(join(ROOT, 'docs/cli'))).map((name) => `docs/cli/${name}`),
      'docs/seals.md',
      'docs/rejection-reasons.md',
      'docs/standards.md',
      'docs/values.md',
      'docs/receipts.md',
      'docs/task-format.md',
    ]) {
      const text = await read(page);
      const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g), ...text.matchAll(/`(docs\/[\w/.-]+\.md)`/g)].map(
        (match) => match[1] ?? '',
      );
      for (const target of targets) {
        const path = target.startsWith('docs/') ? target : join(page, '..', target);
        await assert.doesNotReject(
          readFile(join(ROOT, path)).catch((error: NodeJS.ErrnoException) =>
            error.code === 'EISDIR' ? null : Promise.reject(error),
          ),
          `${page} -> ${target}`,
        );
      }
    }
  });
});
