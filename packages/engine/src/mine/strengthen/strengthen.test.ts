import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openChatModel } from '@assay/lanes/models/chat-model';
import { startFakeModel } from '../../../../lanes/src/fake-model/start-fake-model.ts';
import { readTask } from '../../bundle/read-task.ts';
import { importRepository } from '../../git/import-repository.ts';
import { listMutants } from '../../verify/mutants/list-mutants.ts';
import { build } from '../2-build.ts';
import { prove } from '../3-prove.ts';
import { write, type WriteRequest } from '../6-write.ts';
import { MineFixture } from '../mine.fixture.ts';
import { strengthen } from './strengthen.ts';
import { tryTest, type Judged, type StrengthenRequest } from './try-test.ts';

const FIX = `exports.tally = (words) => {
  if (words.length > 3) throw new RangeError('too many words');
  const counts = Object.create(null);
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
};
`;
const BODY = 'Every word counts, and more than three are refused by a RangeError that says `too many words`.';
const PATH = 'test/more.test.js';

const file = (body: string): string => `const { test } = require('node:test');
const assert = require('node:assert');
const { tally } = require('../lib/tally.js');

test('a limit', () => {
  ${body}
});
`;
const GOOD = file(
  "assert.throws(() => tally(['a', 'b', 'c', 'd']), RangeError);\n  assert.strictEqual(tally(['a', 'b', 'a']).a, 2);",
);
const WEAK = file("assert.strictEqual(tally(['constructor']).constructor, 1);");

describe('tests that a model writes for mutants', () => {
  let fixture: MineFixture;
  let request: StrengthenRequest;
  let writing: Omit<WriteRequest, 'bundle'>;
  before(async () => {
    fixture = await MineFixture.make();
    const { context } = fixture;
    const candidate = await fixture.candidate({ 'lib/tally.js': FIX });
    const built = await build(candidate, context);
    const proven = await prove(candidate, built, context);
    const runtime = { environment: await built.environment(), provider: context.provider };
    const all = await listMutants({ ...candidate, ...built, limit: 40 }, runtime);
    const survivors = all.filter(({ line, kind }) => line === 2 && /^(?:comparison|statement)$/.test(kind));
    assert.ok(survivors.length > 0);
    writing = {
      candidate,
      built,
      proven,
      split: null,
      statement: { title: 'Count every word', body: BODY, sentences: [], disclosed: [] },
    };
    request = { candidate, built, proven, instruction: BODY, survivors, context };
  });
  after(() => fixture.dispose());

  const tried = (code: string, more: Partial<StrengthenRequest> = {}): Promise<Judged> =>
    tryTest({ path: PATH, code }, { ...request, ...more });

  test('one that tells a wrong variant is taken, with its ids', async () => {
    assert.deepEqual(await tried(GOOD), { failToPass: [`${PATH} > a limit`], passToPass: [] });
  });

  const source = "require('node:fs').readFileSync(require.resolve('../lib/tally.js'), 'utf8')";
  const refused: Record<string, { code: string; why: RegExp; instruction?: string }> = {
    'no test': { code: '', why: /no code block/ },
    'one that fails with the change': {
      code: file('assert.strictEqual(tally([]), 1);'),
      why: /with the change it does/,
    },
    'one that passes without it': { code: file("assert.strictEqual(tally(['a']).a, 1);"), why: /passes as well/ },
    'one that tells no wrong variant': { code: WEAK, why: /every one of the wrong variants/ },
    'one that compares a message': {
      code: file("assert.throws(() => tally(['a', 'b', 'c', 'd']), /^RangeError: too many words$/);"),
      why: /messages of its errors reworded/,
    },
    'one that wants what nobody was told': {
      code: file("assert.throws(() => tally(['a', 'b', 'c', 'd']), /too many words/);"),
      why: /wants the message "too many words"/,
      instruction: 'Every word counts.',
    },
    'one that looks at how the change is written': {
      code: file(`assert.match(${source}.split('\\n')[1], /length > 3/);`),
      why: /the program does the same \(its lines moved down\)/,
    },
  };
  for (const [name, { code, why, instruction = BODY }] of Object.entries(refused))
    test(`${name} is not taken`, async () => {
      const judged = await tried(code, { instruction });
      assert.match('problem' in judged ? judged.problem : 'taken', why);
    });

  test('one that fails what people made of the change later is not taken', async () => {
    const { builder, context } = fixture;
    await builder.commit('Count every word', { 'lib/tally.js': FIX });
    await builder.commit('More words', { 'lib/tally.js': FIX.replace('RangeError', 'TypeError') });
    const repository = await importRepository(builder.directory, context.cacheDirectory);
    try {
      const judged = await tried(GOOD, { context: { ...context, repository } });
      assert.match('problem' in judged ? judged.problem : 'taken', /a later version of the program/);
    } finally {
      await repository.dispose();
    }
  });

  const asking = async <T>(answers: string[], use: (context: StrengthenRequest['context']) => Promise<T>) => {
    const turns = answers.map((code) => ({ say: `Here:\n\`\`\`js\n${code}\`\`\`\n` }));
    const service = await startFakeModel({ script: { order: 'requests', turns } });
    try {
      const model = openChatModel({ endpoint: service.endpoints.openai, model: 'scripted', backOffMs: 1 });
      return {
        result: await use({ ...fixture.context, model }),
        asked: service.requests.map(({ body }) => JSON.stringify(body)),
      };
    } finally {
      await service.close();
    }
  };

  test('the model is shown the variants, and told once what is wrong', async () => {
    const { result, asked } = await asking(['', ''], (context) => strengthen({ ...request, context }));
    assert.equal(result, null);
    assert.equal(asked.length, 2);
    assert.ok(asked[0]?.includes('lib/tally.js:2 if (words.length > 3)'));
    assert.ok(!asked[0]?.includes('cannot be used') && asked[1]?.includes('there is no code block'));
    assert.equal(await strengthen(request), null, 'without a model');
  });

  test('a bundle has them among its hidden tests, and says that a model wrote them', async () => {
    const bundle = join(fixture.directory, 'bundles', 'stronger');
    const { result } = await asking([GOOD], (context) =>
      write({ ...writing, bundle }, { ...context, minKilled: 0.1, strengthen: 'scripted' }),
    );
    assert.equal(result.outcome, 'admitted');
    const { meta } = await readTask(bundle);
    assert.ok(meta.kind === 'repository');
    const [path = ''] = meta.written?.files ?? [];
    assert.deepEqual(meta.written, { model: 'scripted', files: [path] });
    assert.ok(meta.fail_to_pass.includes(`${path} > a limit`) && meta.test.files.includes(path));
    const limit = meta.proof?.mutants?.survivors.filter(({ change }) => /-> .*> 4/.test(change));
    assert.deepEqual(limit, []);
  });
});
