import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { after, before, describe, test } from 'node:test';
import { build } from '../2-build.ts';
import { Rejection } from '../candidate.ts';
import { equivalenceTests } from '../pipelines/equivalence-tests/pipeline.ts';
import { functionCandidate } from './function-candidate.ts';
import { COPY, FunctionsFixture, SHORTEN_SOURCE } from './functions.fixture.ts';
import { requireOutOfReach } from './out-of-reach.ts';

const data = (base: string): { base: string; path: string; name: string } => ({
  base,
  path: 'lib/text.js',
  name: 'shorten',
});

describe('a function that was taken out', () => {
  let fixture: FunctionsFixture;
  before(async () => {
    fixture = await FunctionsFixture.make(equivalenceTests);
  });
  after(() => fixture.dispose());

  const reach = async (own: FunctionsFixture, layerDirectories: string[] = []): Promise<void> => {
    const candidate = await functionCandidate(own.repository, data(own.repository.head));
    const { t0Directory } = await build(candidate, own.context);
    const { cacheDirectory } = own.context;
    await requireOutOfReach(candidate, { t0Directory, layerDirectories, cacheDirectory, name: 'shorten' });
  };
  const leaks = (detail: RegExp) => (error: unknown) =>
    error instanceof Rejection && error.reason === 'leak' && detail.test(error.detail);

  test('is out of reach where nothing else holds it', async () => {
    await reach(fixture);
  });

  test('is not, where a package of the environment holds it, packed or not', async () => {
    for (const [name, content] of [
      ['copy.js', COPY],
      ['copy.js.gz', gzipSync(COPY)],
    ] as const) {
      const layer = join(fixture.directory, `layer-${name}`);
      await mkdir(layer);
      await writeFile(join(layer, name), content);
      await assert.rejects(reach(fixture, [layer]), leaks(/^parts of the function stand in environment/));
    }
  });

  test('is not, where another source defines one of that name', async () => {
    const other = 'exports.shorten = (text) => {\n  return text.slice(0, 3);\n};\n';
    const twice = await FunctionsFixture.make(equivalenceTests, { 'src/other.js': other });
    try {
      await assert.rejects(reach(twice), leaks(/^src\/other\.js defines shorten as well$/));
    } finally {
      await twice.dispose();
    }
  });

  test('is not, where a file that is no code quotes it', async () => {
    const quoting = await FunctionsFixture.make(equivalenceTests, { 'docs/notes.md': SHORTEN_SOURCE });
    try {
      await assert.rejects(reach(quoting), leaks(/parts of the function stand elsewhere in T0$/));
    } finally {
      await quoting.dispose();
    }
  });
});
