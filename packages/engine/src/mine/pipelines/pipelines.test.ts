import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { RepositoryBuilder, startFakeModelServer, type FakeModelServer } from '@assay/testkit';
import { z } from 'zod';
import { importRepository, type ImportedRepository } from '../../git/import-repository.ts';
import { codeInstruct } from './code-instruct/pipeline.ts';
import { commitRuntime } from './commit-runtime/pipeline.ts';
import { cvePatches } from './cve-patches/pipeline.ts';
import { equivalenceTests } from './equivalence-tests/pipeline.ts';
import { importedRows } from './imported-rows.fixture.ts';
import { PIPELINES, pipelineNamed, registerPipeline } from './index.ts';
import { describePipelineConformance } from './pipeline-conformance.ts';
import { pipelineFlags } from './pipeline-flags.ts';
import { definePipeline, type Pipeline } from './pipeline.ts';
import { prDiff } from './pr-diff/pipeline.ts';
import { prRuntime } from './pr-runtime/pipeline.ts';

const functionOf = (name: string): string => `def ${name}(words):
    for word in words:
        if word:
            return word
    return None
`;

/** A problem around the function that a model is asked about. */
const problemAround = (anchor: string): string => `\`\`\`statement
Find what each list has

\`each_of\` takes lists of words and gives a list with what \`${anchor}\` gives for each of them, in the same order, and nothing else.
\`\`\`
\`\`\`solution
def each_of(lists):
    return [${anchor}(words) for words in lists]
\`\`\`
\`\`\`tests
from inkpot.words import each_of


def test_none():
    assert each_of([]) == []
\`\`\``;

let directory = '';
let scripted: FakeModelServer;
let repository: ImportedRepository;
let osv = '';
let rows = '';
before(async () => {
  scripted = await startFakeModelServer(({ user }) => problemAround(/The anchor is (\w+)\(/.exec(user)?.[1] ?? ''));
  directory = await mkdtemp(join(tmpdir(), 'assay-pipelines-'));
  const builder = await RepositoryBuilder.create(join(directory, 'inkpot'));
  await builder.commit('First', {
    'pyproject.toml': '[project]\nname = "inkpot"\nversion = "1"\n',
    'inkpot/a.py': 'A = 1\n',
    'inkpot/words.py': ['first', 'last'].map(functionOf).join('\n\n'),
    'tests/test_a.py': 'def test_a():\n    assert True\n',
  });
  const fixes: string[] = [];
  for (const value of [2, 3])
    fixes.push(
      await builder.commit(`Mend it for the value ${value} (#${value})`, {
        'inkpot/a.py': `A = ${value}\n`,
        'tests/test_a.py': `def test_a():\n    assert ${value}\n`,
      }),
    );
  osv = join(directory, 'osv.json');
  await writeFile(
    osv,
    JSON.stringify(
      fixes.map((fixed, index) => ({
        id: `CVE-2031-${index + 1}`,
        summary: `Wrong value ${index}`,
        affected: [{ ranges: [{ type: 'GIT', repo: 'https://code.example/inkpot', events: [{ fixed }] }] }],
      })),
    ),
  );
  rows = join(directory, 'rows.json');
  await writeFile(
    rows,
    JSON.stringify(
      [4, 5].map((value) => ({
        id: `row-${value}`,
        text: `The value should be ${value}`,
        files: { 'inkpot/a.py': `A = ${value}\n`, 'tests/test_a.py': `def test_a():\n    assert ${value}\n` },
      })),
    ),
  );
  repository = await importRepository(builder.directory, join(directory, 'cache'));
});
after(async () => {
  await scripted.close();
  await repository.dispose();
  await rm(directory, { recursive: true, force: true });
});

const CASES: [Pipeline, string, () => Record<string, unknown>, endpoint?: () => string][] = [
  [commitRuntime, './commit-runtime/pipeline.ts', () => ({})],
  [prRuntime, './pr-runtime/pipeline.ts', () => ({})],
  [prDiff, './pr-diff/pipeline.ts', () => ({ textOnly: true })],
  [cvePatches, './cve-patches/pipeline.ts', () => ({ osv })],
  [equivalenceTests, './equivalence-tests/pipeline.ts', () => ({ minLines: 3 })],
  [codeInstruct, './code-instruct/pipeline.ts', () => ({ minLines: 3 }), () => scripted.endpoints.openai],
  [importedRows, './imported-rows.fixture.ts', () => ({ rows })],
];
for (const [pipeline, module, options, endpoint] of CASES)
  describePipelineConformance(pipeline, {
    module: import.meta.resolve(module),
    repository: () => repository,
    options,
    endpoint,
  });

describe('pipelines', () => {
  test('every member has its conformance case', () => {
    assert.deepEqual(
      PIPELINES.filter((each) => !CASES.some(([pipeline]) => pipeline === each)).map(({ name }) => name),
      [],
    );
  });

  test('docs/adding-a-pipeline.md shows one that keeps to all of it', async () => {
    const [page, code] = await Promise.all([
      readFile(join(import.meta.dirname, '../../../../../docs/adding-a-pipeline.md'), 'utf8'),
      readFile(join(import.meta.dirname, 'imported-rows.fixture.ts'), 'utf8'),
    ]);
    assert.ok(page.includes(code.slice(code.indexOf('const Row '))));
  });

  test('a name that there is not', () => {
    assert.throws(
      () => pipelineNamed('no_such'),
      (error) =>
        AssayError.is(error) &&
        error.code === 'UNKNOWN_PIPELINE' &&
        /commit_runtime, pr_runtime, pr_diff, cve_patches, equivalence_tests, code_instruct/.test(error.message),
    );
  });

  test('what the options refuse is told by flag, before anything is opened', async () => {
    for (const [options, pattern] of [
      [{}, /--pipeline cve_patches: it needs --osv/],
      [{ osv: 3 }, /^--osv: /],
      [{ osv: 'x', rows: 'y' }, /^--rows: the pipeline cve_patches does not take it/],
    ] as const)
      await assert.rejects(
        cvePatches.open(options),
        (error) => AssayError.is(error) && error.code === 'BAD_OPTION' && pattern.test(error.message),
      );
  });
});

describe('flags of pipelines', () => {
  const made = (name: string, options: z.ZodRawShape): Pipeline =>
    definePipeline({ ...importedRows, name, options, open: async () => async () => ({ found: [] }) });

  test('by the type of each option', () => {
    const flags = pipelineFlags([
      made('all_kinds', {
        maxWords: z.int().min(1).default(30).describe('most words'),
        skipThin: z.boolean().optional().describe('leave out thin ones'),
        label: z.array(z.string()).default([]).describe('only those labelled'),
        service: z.url().optional().describe('where they are'),
        rows: z.string().describe('the rows').meta({ value: 'FILE' }),
      }),
    ]);
    assert.deepEqual(
      flags.map(({ option, flag, kind, value }) => [option, flag, kind, value]),
      [
        ['maxWords', 'max-words', 'count', 'N'],
        ['skipThin', 'skip-thin', 'flag', undefined],
        ['label', 'label', 'list', 'TEXT'],
        ['service', 'service', 'url', 'URL'],
        ['rows', 'rows', 'text', 'FILE'],
      ],
    );
  });

  test('one flag for an option that several have; two that differ are a mistake, and so is what no flag can show', () => {
    const seed = { seed: z.int().optional().describe('where to begin') };
    assert.deepEqual(
      pipelineFlags([made('one', seed), made('two', seed)]).map(({ description }) => description),
      ['where to begin (one, two)'],
    );
    const unusable = (error: unknown): boolean => AssayError.is(error) && error.code === 'IMPOSSIBLE';
    assert.throws(
      () => pipelineFlags([made('one', seed), made('two', { seed: z.string().describe('a word') })]),
      unusable,
    );
    assert.throws(() => pipelineFlags([made('one', { window: z.object({}).describe('no flag') })]), unusable);
    assert.throws(() => pipelineFlags([made('one', { silent: z.string() })]), unusable);
  });

  test('an option with the name of a flag that all pipelines share is refused, by name', () => {
    const shadow = made('shadow', { specificity: z.boolean().optional().describe('something else') });
    const refused = (error: unknown): boolean =>
      AssayError.is(error) &&
      error.code === 'IMPOSSIBLE' &&
      /specificity of the pipeline shadow.*--specificity/.test(error.message);
    assert.throws(() => pipelineFlags([shadow]), refused);
    assert.throws(() => registerPipeline(shadow), refused);
    assert.ok(!PIPELINES.includes(shadow));
  });
});
