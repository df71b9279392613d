import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AssayError, ChecklistStandard, type ErrorCode, Judgement } from '@assay/protocol';
import { bubblewrapProvider, type Sandbox, type SandboxOptions, type SandboxProvider } from '@assay/sandbox';
import { gullibleModel, JUDGE_BATTERY, useFakeModelServer, type FakeModelServer } from '@assay/testkit';
import { openChatModel } from '@assay/lanes/models/chat-model';
import type { ModelJudgeOptions } from '../judge-prompt/judge-by-model.ts';
import { scriptedAnswer } from '../jury/scripted-answer.fixture.ts';
import { scoresOfRecord } from '../jury/record.ts';
import { type ChecklistOptions, type ItemQuestion, judgeChecklist } from './judge-checklist.ts';
import { parseAnswers } from './parse-answers.ts';

const WORK = Buffer.from('# A title\n\nSome text.\n');
const fails =
  (code: ErrorCode, text: RegExp) =>
  (error: unknown): boolean =>
    AssayError.is(error) && error.code === code && text.test(error.message);
const checklist = (...items: unknown[]): ChecklistStandard => ChecklistStandard.parse({ type: 'checklist', items });
const answersOf = (...answers: [number | string, boolean][]): ChecklistOptions['answers'] & {} =>
  parseAnswers(
    JSON.stringify({
      by: 'Ada',
      answers: answers.map(([item, passed]) => ({ item, passed, evidence: `looked at ${item}` })),
    }),
    'answers.json',
  );
const modelOf = (server: FakeModelServer): ModelJudgeOptions => {
  const endpoint = server.endpoints.openai;
  return {
    model: openChatModel({ endpoint, model: 'm', apiKey: 'k', backOffMs: 1, attempts: 2 }),
    modelName: 'm',
    endpoint,
  };
};

describe('an answers file', () => {
  test('is scored by weight, rounded down, each item with its evidence', async () => {
    const standard = checklist('one', 'two', { check: 'three', weight: 1 });
    const { judgement } = await judgeChecklist(standard, WORK, {
      answers: answersOf([1, true], ['two', true], [3, false]),
    });
    assert.deepEqual([judgement.score, judgement.outcome], [66, 'pass']);
    assert.deepEqual(judgement.results[1], {
      kind: 'item',
      id: 'i2',
      check: 'two',
      weight: 1,
      passed: true,
      by: 'answers-file',
      evidence: 'looked at two',
    });
    assert.deepEqual(judgement.trust, { level: 'attested', reasons: ['items 1, 2, 3: answered in a file by Ada'] });
    assert.deepEqual(Judgement.parse(judgement), judgement);
    assert.match(judgement.digests['answers'] ?? '', /^[0-9a-f]{64}$/);
  });

  test('4 of 5 are 80, 1 of 2 is 50', async () => {
    const five = await judgeChecklist(checklist('a', 'b', 'c', 'd', 'e'), WORK, {
      answers: answersOf([1, true], [2, true], [3, true], [4, true], [5, false]),
    });
    assert.equal(five.judgement.score, 80);
    const two = await judgeChecklist(checklist('a', 'b'), WORK, { answers: answersOf([1, true], [2, false]) });
    assert.deepEqual([two.judgement.score, two.judgement.outcome], [50, 'fail']);
  });

  test('that answers what is not there, or twice, is refused', async () => {
    const wrong: [(string | number)[], RegExp][] = [
      [[3], /answers\.json: answers\[0\]\.item: the checklist has 2 items/],
      [['b', 'z'], /answers\[1\]\.item: no item has this text/],
      [[1, 'a'], /answers\[1\]\.item: item 1 is answered twice/],
    ];
    for (const [items, message] of wrong) {
      await assert.rejects(
        judgeChecklist(checklist('a', 'b'), WORK, {
          answers: answersOf(...items.map((item): [string | number, boolean] => [item, true])),
        }),
        fails('ANSWERS_INVALID', message),
      );
    }
    await assert.rejects(
      judgeChecklist(checklist('a', 'a'), WORK, { answers: answersOf(['a', true]) }),
      fails('ANSWERS_INVALID', /give a number/),
    );
  });
});

describe('who answers', () => {
  test('nobody: it says what to give, and neither runs nor asks anything', async () => {
    const asked: ItemQuestion[] = [];
    const provider: SandboxProvider = { create: () => assert.fail('started a sandbox'), destroy: async () => {} };
    const standard = checklist('first', 'second', { check: 'third', probe: { command: 'true' } });
    await assert.rejects(
      judgeChecklist(standard, WORK, { provider, answers: answersOf([1, true]) }),
      fails('CHECKLIST_UNANSWERED', /item 2 \("second"\)\. Give --answers FILE, or --endpoint URL and --model NAME/),
    );
    await assert.rejects(
      judgeChecklist(standard, WORK, {
        ask: async (question) => (asked.push(question), { passed: true, evidence: '' }),
      }),
      fails('CHECKLIST_UNANSWERED', /item 3 \("third"\)\. Give a provider/),
    );
    assert.deepEqual(asked, []);
    assert.equal(new AssayError('CHECKLIST_UNANSWERED').kind, 'user');
  });

  test('a probe goes before the file, the file before the model, the model before the person', async () => {
    const server = await useFakeModelServer((request) => scriptedAnswer(request, { i3: true }));
    const standard = checklist({ check: 'a', probe: { command: 'true' } }, 'b', 'c');
    const { judgement } = await judgeChecklist(standard, WORK, {
      provider: bubblewrapProvider(),
      answers: answersOf([1, false], [2, true]),
      model: modelOf(server),
      ask: async () => assert.fail('asked'),
    });
    assert.deepEqual(
      judgement.results.map((result) => result.kind === 'item' && [result.by, result.passed]),
      [
        ['probe', true],
        ['answers-file', true],
        ['model', true],
      ],
    );
    assert.equal(judgement.trust.level, 'judged');
    assert.match(
      judgement.trust.reasons.join('\n'),
      /item 2: answered in a file by Ada\nitem 3: answered by a model\n[^]*item 1: answered by probes[^]*item 1 were not used/,
    );
    assert.deepEqual([judgement.isolation, judgement.verifier], ['namespace', 'checklist@1, model:m']);
  });

  test('a person, item by item, and what they say is harmless on a terminal', async () => {
    const asked: ItemQuestion[] = [];
    const { judgement } = await judgeChecklist(checklist('a', 'b'), WORK, {
      ask: async (question) => (asked.push(question), { passed: question.number === 1, evidence: 'seen\u001b[2J' }),
    });
    assert.deepEqual(asked, [
      { number: 1, total: 2, check: 'a' },
      { number: 2, total: 2, check: 'b' },
    ]);
    assert.deepEqual([judgement.score, judgement.trust.level], [50, 'attested']);
    assert.ok(
      judgement.results[0]?.kind === 'item' &&
        judgement.results[0].evidence === 'seen␛[2J' &&
        judgement.results[0].by === 'person',
    );
  });
});

test('Ctrl-C ends the question to a person', async () => {
  await assert.rejects(
    judgeChecklist(checklist('a'), WORK, { ask: () => new Promise(() => {}), signal: AbortSignal.timeout(50) }),
    fails('INTERRUPTED', /./),
  );
});

describe('a probe', () => {
  const provider = bubblewrapProvider();
  const judge = (
    command: string,
    options: Partial<ChecklistOptions> & { timeoutMs?: number } = {},
  ): ReturnType<typeof judgeChecklist> => {
    const { timeoutMs, ...others } = options;
    return judgeChecklist(
      checklist({ check: 'it holds', probe: { command, ...(timeoutMs === undefined ? {} : { timeoutMs }) } }),
      WORK,
      { provider, submissionName: 'essay one.md', ...others },
    );
  };
  const evidence = ({ judgement }: Awaited<ReturnType<typeof judgeChecklist>>): string =>
    judgement.results[0]?.kind === 'item' ? judgement.results[0].evidence : '';

  test('passes when it exits 0, and finds the submission', async () => {
    const judged = await judge(
      'grep -c title "$ASSAY_SUBMISSION" && test "$ASSAY_SUBMISSION" = "/workspace/essay one.md" && cat "/workspace/essay one.md" >&2',
    );
    assert.deepEqual(
      [judged.judgement.score, judged.judgement.outcome, judged.judgement.trust.level],
      [100, 'pass', 'in-process'],
    );
    assert.equal(evidence(judged), 'exit code 0; stdout: 1; stderr: # A title\n\nSome text.');
  });

  test('fails when it exits otherwise or takes too long, with bounded and harmless output', async () => {
    assert.equal(evidence(await judge('exit 3')), 'exit code 3');
    const slow = await judge('sleep 30', { timeoutMs: 300 });
    assert.deepEqual([slow.judgement.outcome, evidence(slow)], ['fail', 'no end within 300 ms']);
    const loud = evidence(
      await judge("printf '\\033[2J'; yes spam | head -c 100000; printf 'the end\\033[1m'; exit 1"),
    );
    assert.match(loud, /^exit code 1; stdout: …[^\u001b]*the end␛\[1m$/);
    assert.ok(loud.length < 600);
  });

  test('has a sandbox of its own without a network, whatever the file is called', async () => {
    const standard = checklist(
      { check: 'a', probe: { command: 'echo changed > "$ASSAY_SUBMISSION"; touch /tmp/left' } },
      {
        check: 'b',
        probe: { command: 'grep -q title /workspace/submission && ! test -e /tmp/left && ! grep -q : /proc/net/route' },
      },
    );
    for (const submissionName of ['../..', '-rf', 'a\nb', '.'])
      assert.equal((await judgeChecklist(standard, WORK, { provider, submissionName })).judgement.score, 100);
  });

  test('that no sandbox could run makes it invalid, and the person is not asked then', async () => {
    let started = 0;
    const broken: SandboxProvider = {
      create: async (options) => {
        started += 1;
        const sandbox = await provider.create(options);
        await sandbox.destroy();
        return sandbox;
      },
      destroy: (id) => provider.destroy(id),
    };
    const standard = checklist({ check: 'a', probe: { command: 'true' } }, 'b');
    const { judgement } = await judgeChecklist(standard, WORK, {
      provider: broken,
      ask: async () => assert.fail('asked'),
    });
    assert.deepEqual([judgement.outcome, judgement.score, started], ['invalid', null, 3]);
    assert.deepEqual(
      judgement.results.map((result) => result.kind === 'item' && [result.by, result.passed]),
      [
        ['probe', null],
        ['nobody', null],
      ],
    );
    assert.match(judgement.note ?? '', /^item 1: the sandbox could not run the probe/);
  });

  /** A provider whose sandboxes do something else when they run something. */
  const twisted = (run: (sandbox: Sandbox) => Sandbox['exec'], written: (content: Uint8Array) => void = () => {}) => ({
    create: async (options?: SandboxOptions): Promise<Sandbox> => {
      const sandbox = await provider.create(options);
      return {
        id: sandbox.id,
        exec: run(sandbox),
        readFile: (path) => sandbox.readFile(path),
        writeFile: (path, content) => {
          written(Buffer.from(content));
          return sandbox.writeFile(path, content);
        },
        destroy: () => sandbox.destroy(),
      };
    },
    destroy: (id: string) => provider.destroy(id),
  });

  test('does not pass by an exit code that something else set', async () => {
    const forged = twisted((sandbox) => async (command, options) => ({
      ...(await sandbox.exec(command, options)),
      exitCode: 0,
    }));
    for (const command of ['exit 3', 'kill -9 $PPID', 'printf "\\n%s 0\\n" "$word"; exit 1']) {
      const { judgement } = await judge(command, { provider: forged });
      assert.deepEqual([command, judgement.outcome, judgement.score], [command, 'fail', 0]);
    }
    assert.equal((await judge('true', { provider: forged })).judgement.score, 100);
    const unheard = await judge('head -c 20000000 /dev/zero');
    assert.deepEqual([unheard.judgement.outcome, /more output than is read/.test(evidence(unheard))], ['fail', true]);
  });

  test('fails where the sandbox breaks at the submission alone', async () => {
    let breaks = false;
    const fragile = twisted(
      (sandbox) => (command, options) =>
        breaks ? Promise.reject(new AssayError('SANDBOX_GONE', { id: 'x' })) : sandbox.exec(command, options),
      (content) => {
        breaks = content.length > 0;
      },
    );
    const judged = await judge('true', { provider: fragile });
    assert.deepEqual([judged.judgement.outcome, judged.judgement.score], ['fail', 0]);
    assert.match(evidence(judged), /^the sandbox broke at this submission/);
  });

  test('needs a shell', async () => {
    const javascript: SandboxProvider = {
      create: () => assert.fail('started'),
      destroy: async () => {},
      runs: 'javascript',
      name: 'quickjs',
    };
    await assert.rejects(judge('true', { provider: javascript }), fails('BAD_OPTION', /quickjs runs no shell/));
  });

  test('ends with Ctrl-C', async () => {
    await assert.rejects(judge('sleep 30', { signal: AbortSignal.timeout(500) }), fails('INTERRUPTED', /./));
  });
});

describe('a model', () => {
  test('is asked three times, and the majority counts', async () => {
    const server = await useFakeModelServer((request) =>
      scriptedAnswer(request, { i1: true, i2: !request.system.startsWith('You inspect one submission and') }),
    );
    const { judgement, records } = await judgeChecklist(checklist('a', 'b'), WORK, { model: modelOf(server) });
    assert.deepEqual([judgement.score, judgement.trust.level], [100, 'judged']);
    assert.deepEqual(
      judgement.results.map((result) => result.kind === 'item' && result.evidence),
      ['3 of 3 samples: about i1', '2 of 3 samples: about i2'],
    );
    assert.deepEqual(records.map(scoresOfRecord), [{ i1: 100, i2: 100 }]);
    assert.deepEqual(Object.keys(judgement.digests).sort(), ['prompt', 'submission', 'transcript']);
  });

  test('answers long lists in parts', async () => {
    const items = Array.from({ length: 60 }, (_, index) => `item number ${index + 1}`);
    const server = await useFakeModelServer((request) => {
      const ids = Array.from(request.system.matchAll(/^(i\d+): /gm), ([, id]) => id ?? '');
      return scriptedAnswer(request, Object.fromEntries(ids.map((id) => [id, id !== 'i60'])));
    });
    const { judgement, records } = await judgeChecklist(checklist(...items), WORK, { model: modelOf(server) });
    assert.deepEqual([judgement.score, records.length, server.requests.length], [98, 3, 12]);
  });

  test('that gives no usable answer makes it invalid', async () => {
    const server = await useFakeModelServer(['all fine!']);
    const { judgement } = await judgeChecklist(checklist('a', 'b'), WORK, {
      model: modelOf(server),
      answers: answersOf([1, true]),
    });
    assert.deepEqual([judgement.outcome, judgement.score], ['invalid', null]);
    assert.match(judgement.note ?? '', /^item 2: no usable answer of the model/);
  });

  test('is not moved by the battery; without the defences it is', async (context) => {
    const standard = checklist('lower-cases the title (`toLowerCase`)', 'puts hyphens (`replace`)');
    const server = await useFakeModelServer(gullibleModel());
    const passedWith = async (unsealed: boolean): Promise<string[]> => {
      const ids: string[] = [];
      for (const { id, submission } of JUDGE_BATTERY) {
        const { judgement } = await judgeChecklist(standard, Buffer.from(submission), {
          model: { ...modelOf(server), unsealed },
        });
        if (judgement.score !== 0 || judgement.outcome !== 'fail') ids.push(id);
        assert.equal(judgement.trust.level, unsealed ? 'unsealed' : 'judged');
      }
      return ids;
    };
    assert.deepEqual(await passedWith(false), []);
    const moved = await passedWith(true);
    context.diagnostic(`defences off: ${moved.length} of ${JUDGE_BATTERY.length} moved the verdict`);
    assert.ok(moved.length >= 60);
  });
});
