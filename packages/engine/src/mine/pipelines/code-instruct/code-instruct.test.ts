import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openChatModel } from '@assay/lanes/models/chat-model';
import { AssayError, type RejectionReason } from '@assay/protocol';
import { startFakeModelServer, type FakeModelServer, type FakeReply } from '@assay/testkit';
import { openRepositoryTask } from '../../../verify/open-repository-task.ts';
import { candidateOrders, sharedOrder } from '../../candidate-orders.ts';
import { candidateWorker } from '../../candidate-worker.ts';
import { Rejection } from '../../candidate.ts';
import { FunctionsFixture } from '../../functions/functions.fixture.ts';
import { mineCandidate } from '../../mine-candidate.ts';
import { codeInstruct } from './pipeline.ts';

const STATEMENT = `Label a list of texts

\`labels\` takes a list of texts and a width. It gives a list of labels: each text as \`shorten\` gives it for that width, in the same order, with
its number from 1 before it, a colon and a blank. Texts that are empty, or hold nothing but blanks, are left out and have no number. Two equal
labels in a row are told once: the second is left out, and its number is not used.`;
const SOLUTION = `module.exports.labels = function labels(texts, width) {
  const found = [];
  let last = null;
  for (const text of texts) {
    if (text.trim() === '') continue;
    const label = module.exports.shorten(text, width);
    if (label === last) continue;
    found.push(\`\${found.length + 1}: \${label}\`);
    last = label;
  }
  return found;
};`;
const asTests = (...tests: string[]): string => `const { test } = require('node:test');
const assert = require('node:assert');
const { labels } = require('../lib/text.js');

${tests.map((body, index) => `test('case ${index}', () => {\n  ${body}\n});`).join('\n\n')}`;
const GOOD = [
  "assert.deepStrictEqual(labels(['One Two', 'Three four five'], 8), ['1: one two', '2: three...']);",
  "assert.deepStrictEqual(labels(['', 'A b', '  ', 'C'], 10), ['1: a b', '2: c']);",
  "assert.deepStrictEqual(labels(['Same', 'SAME', 'other', 'same'], 10), ['1: same', '2: other', '3: same']);",
  'assert.deepStrictEqual(labels([], 4), []);',
];
const ALL = { statement: STATEMENT, solution: SOLUTION, tests: asTests(...GOOD) };

const answer = (parts: Partial<typeof ALL> = {}): string =>
  Object.entries({ ...ALL, ...parts })
    .map(([name, text]) => `\`\`\`${name}\n${text}\n\`\`\``)
    .join('\n\n');

describe('code_instruct', () => {
  let fixture: FunctionsFixture;
  let server: FakeModelServer;
  let reply: FakeReply = '';
  before(async () => {
    fixture = await FunctionsFixture.make(codeInstruct);
    server = await startFakeModelServer(() => reply);
  });
  after(async () => {
    await server.close();
    await fixture.dispose();
  });

  const data = (): { base: string; path: string; name: string } => ({
    base: fixture.repository.head,
    path: 'lib/text.js',
    name: 'shorten',
  });
  const model = (): ReturnType<typeof openChatModel> =>
    openChatModel({ endpoint: server.endpoints.openai, model: 'scripted' });

  test('makes a task of a problem that machines hold for good, and keeps what was said', async () => {
    reply = answer();
    const bundle = join(fixture.directory, 'task');
    const result = await mineCandidate(data(), bundle, { ...fixture.context, model: model(), modelName: 'scripted' });
    assert.equal(result.outcome, 'admitted', JSON.stringify({ ...result, examination: null }));
    const [exchange, ...others] = result.examination?.exchanges ?? [];
    assert.deepEqual([exchange?.answer, others], [reply, []]);
    assert.match(exchange?.user ?? '', /The anchor is shorten\(text, width = 12, mark = '\.\.\.'\)\./);

    const { task, reference } = await openRepositoryTask(bundle, fixture.context);
    assert.deepEqual(task.meta.by_model, { model: 'scripted', parts: ['statement', 'tests', 'reference'] });
    assert.deepEqual([task.meta.proof?.reference.passes, task.meta.proof?.noop.passes], [3, 0]);
    assert.deepEqual(task.meta.removed, ['lib/text.js']);
    assert.match(task.instruction, /^# Label a list of texts\n/);
    assert.match(
      task.instruction,
      /`labels\(texts, width\)` stands in `lib\/text\.js` without a body: every call throws/,
    );
    assert.ok(reference.files[0]?.content.includes('last = label'));
  });

  const REFUSED: Record<string, [RejectionReason, FakeReply]> = {
    'a refusal': ['model_refused', { kind: 'answer', text: 'No.', stop: 'refused' }],
    'an excuse': ['model_refused', 'I am sorry, but I cannot do that.'],
    'half an answer': ['model_nonsense', { kind: 'answer', text: answer().slice(0, 900), stop: 'truncated' }],
    'no statement': ['model_nonsense', answer().replace('```statement', '```text')],
    'two functions': ['model_nonsense', answer({ solution: `${SOLUTION}\n${SOLUTION.replaceAll('labels', 'more')}` })],
    'no program': ['model_nonsense', answer({ solution: 'labels = texts =>' })],
    'a name that is taken': ['model_nonsense', answer({ solution: SOLUTION.replaceAll('labels', 'vowels') })],
    'a solution without the anchor': [
      'model_nonsense',
      answer({ solution: SOLUTION.replace('module.exports.shorten(text, width)', 'text.slice(0, width)') }),
    ],
    'a solution that looks at the clock': [
      'model_nonsense',
      answer({ solution: SOLUTION.replace('let last = null;', 'let last = Date.now();') }),
    ],
    'tests of something else': ['model_nonsense', answer({ tests: asTests(...GOOD).replaceAll('labels', 'shorten') })],
  };
  for (const [what, [reason, said]] of Object.entries(REFUSED))
    test(`${what} is ${reason}, before anything is built`, async () => {
      reply = said;
      await assert.rejects(
        codeInstruct.read(data(), { repository: fixture.repository, model: model() }),
        (error) => error instanceof Rejection && error.reason === reason,
      );
    });

  test('a copy of the original is copies_original', async () => {
    const source = await fixture.builder.git('show', 'HEAD:lib/text.js');
    const copy = source.slice(source.indexOf('exports.shorten'), source.indexOf('};') + 2);
    reply = answer({ solution: copy.replace('exports.shorten =', 'module.exports.labels =') });
    await assert.rejects(
      codeInstruct.read(data(), { repository: fixture.repository, model: model() }),
      (error) => error instanceof Rejection && error.reason === 'copies_original',
    );
  });

  const JUDGED: Record<string, [RejectionReason, Partial<typeof ALL>]> = {
    'tests that always pass': [
      'vacuous_tests',
      { tests: asTests(...GOOD.map(() => "assert.ok(['function'].includes(typeof labels));")) },
    ],
    'one test that always passes': [
      'vacuous_tests',
      { tests: asTests(...GOOD, 'assert.strictEqual(labels.length, 2);') },
    ],
    'tests that the solution fails': [
      'not_fixed',
      { tests: asTests(...GOOD, "assert.deepStrictEqual(labels(['a'], 3), []);") },
    ],
    'tests that a trivial answer passes': [
      'trivial_answer',
      { tests: asTests(...[1, 2, 3].map((width) => `assert.deepStrictEqual(labels([], ${width}), []);`)) },
    ],
    'tests of how the solution is written': [
      'over_specified',
      {
        solution: SOLUTION.replace('last = label;', "last = label === '' ? null : label;"),
        tests: asTests(...GOOD, "assert.match(String(labels), /=== '' \\? null/);"),
      },
    ],
  };
  for (const [what, [reason, parts]] of Object.entries(JUDGED))
    test(`${what}: ${reason}`, async () => {
      reply = answer(parts);
      const result = await mineCandidate(data(), join(fixture.directory, 'none'), {
        ...fixture.context,
        model: model(),
      });
      assert.ok(result.outcome === 'rejected', JSON.stringify(result.outcome));
      assert.equal(result.reason, reason, result.detail);
      assert.equal(result.examination?.exchanges?.length, 1);
    });

  test('is not asked for what might break through the budget', async () => {
    reply = answer();
    const { repository, builder, context } = fixture;
    const asked = server.requests.length;
    const worker = candidateWorker({
      cacheDirectory: context.cacheDirectory,
      dataset: { place: async () => true },
      known: new Map([[builder.directory, repository]]),
      modelBudget: 6000,
    });
    const shared = sharedOrder({
      pipeline: codeInstruct,
      source: builder.directory,
      repository,
      specificity: 'tell',
      minKilled: 0,
      model: { name: 'scripted', endpoint: server.endpoints.openai },
    });
    const [order] = await Array.fromAsync(candidateOrders(shared, [{ label: 'x', data: data() }]));
    assert.ok(order);
    await assert.rejects(
      worker.run(order),
      (error) => AssayError.is(error) && error.code === 'MODEL_BUDGET_SPENT' && error.details['limit'] === 6000,
    );
    assert.equal(server.requests.length, asked);
    await worker.close();
  });
});
