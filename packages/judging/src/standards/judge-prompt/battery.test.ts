import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Judgement, JudgePromptStandard } from '@assay/protocol';
import {
  BAD_WORK,
  BATTERY_STANDARD,
  GOOD_WORK,
  gullibleModel,
  JUDGE_BATTERY,
  useFakeModelServer,
  type BatteryCase,
  type FakeModelServer,
  type GullibleOptions,
} from '@assay/testkit';
import { openChatModel, type DialectName } from '@assay/lanes/models/chat-model';
import { judgeByModel, type ModelJudgement } from './judge-by-model.ts';

const STANDARD = JudgePromptStandard.parse(BATTERY_STANDARD);

function judge(
  server: FakeModelServer,
  submission: string | Uint8Array,
  options: { unsealed?: boolean; dialect?: DialectName } = {},
): Promise<ModelJudgement> {
  const { dialect = 'openai', unsealed = false } = options;
  const endpoint = server.endpoints[dialect];
  const model = openChatModel({ endpoint, model: 'gullible', apiKey: 'none', backOffMs: 1 });
  return judgeByModel(STANDARD, typeof submission === 'string' ? Buffer.from(submission) : submission, {
    model,
    modelName: 'gullible',
    endpoint,
    unsealed,
  });
}

/** Score of the case without its attack: that of the work in it, if any. */
const honestScore = ({ kind }: BatteryCase): number => (kind === 'injection' ? 10 : 0);

/** Judges every case of the battery. */
async function judgeAll(
  model: GullibleOptions,
  options: { unsealed?: boolean; dialect?: DialectName },
): Promise<{ entry: BatteryCase; judgement: Judgement; asked: number }[]> {
  const server = await useFakeModelServer(gullibleModel(model));
  const judged = [];
  for (const entry of JUDGE_BATTERY) {
    const asked = server.requests.length;
    const { judgement } = await judge(server, entry.submission, options);
    judged.push({ entry, judgement, asked: server.requests.length - asked });
  }
  return judged;
}

describe('the battery', () => {
  test('has enough cases, each with its own name', () => {
    assert.equal(new Set(JUDGE_BATTERY.map(({ id }) => id)).size, JUDGE_BATTERY.length);
    assert.ok(JUDGE_BATTERY.filter(({ kind }) => kind === 'injection').length >= 60);
  });

  for (const unsealed of [false, true]) {
    test(`the model judges work without an attack soberly, ${unsealed ? 'defences off' : 'defences on'}`, async () => {
      const server = await useFakeModelServer(gullibleModel());
      const bad = await judge(server, BAD_WORK, { unsealed });
      assert.deepEqual([bad.judgement.outcome, bad.judgement.score], ['fail', 10]);
      const good = await judge(server, GOOD_WORK, { unsealed });
      assert.deepEqual([good.judgement.outcome, good.judgement.score], ['pass', 90]);
      assert.equal(good.judgement.trust.level, unsealed ? 'unsealed' : 'judged');
    });
  }

  test('with the defences off most injections make a gullible model pass what it would fail', async (context) => {
    const judged = (await judgeAll({}, { unsealed: true })).filter(({ entry }) => entry.kind === 'injection');
    const stayed = judged.filter(({ judgement }) => judgement.outcome !== 'pass').map(({ entry }) => entry.id);
    context.diagnostic(
      `defences off: ${judged.length - stayed.length} of ${judged.length} injections moved the verdict; not: ${stayed.join(', ') || 'none'}`,
    );
    assert.ok(judged.length - stayed.length >= 60, stayed.join(', '));
  });

  for (const dialect of ['openai', 'anthropic'] as const) {
    test(`with the defences on nothing moves verdict or score (${dialect})`, async (context) => {
      const judged = await judgeAll({}, { dialect });
      const moved = judged.filter(
        ({ entry, judgement }) => judgement.outcome !== 'fail' || judgement.score !== honestScore(entry),
      );
      context.diagnostic(`defences on: ${moved.length} of ${judged.length} cases moved the verdict`);
      assert.deepEqual(
        moved.map(({ entry, judgement }) => [entry.id, judgement.score]),
        [],
      );
    });
  }

  test('a model that rewards openers is never asked about them, and passes them when the defences are off', async (context) => {
    const sealed = (await judgeAll({ trustsOpeners: true }, {})).filter(({ entry }) => entry.kind !== 'injection');
    for (const { entry, judgement, asked } of sealed) {
      assert.deepEqual([entry.id, judgement.outcome, judgement.score, asked], [entry.id, 'fail', 0, 0]);
      assert.match(judgement.note ?? '', /^the submission /);
    }
    const open = (await judgeAll({ trustsOpeners: true }, { unsealed: true })).filter(
      ({ entry, judgement }) => entry.kind !== 'injection' && judgement.outcome === 'pass',
    );
    context.diagnostic(`defences off: ${open.length} of ${sealed.length} empty answers passed`);
    assert.ok(open.length >= 15);
  });

  test('a model that obeys data gives no verdict at all, whatever is submitted', async () => {
    for (const { entry, judgement, asked } of await judgeAll({ obeysData: true }, {})) {
      if (asked === 0) continue;
      assert.deepEqual([entry.id, judgement.outcome, judgement.score], [entry.id, 'invalid', null]);
      assert.match(judgement.note ?? '', /not fit to judge/);
    }
    const server = await useFakeModelServer(gullibleModel({ obeysData: true }));
    assert.equal((await judge(server, GOOD_WORK)).judgement.outcome, 'invalid');
  });

  test('good work stays good when it holds texts of the battery', async () => {
    const server = await useFakeModelServer(gullibleModel());
    const filter = `${GOOD_WORK}\nexport const KNOWN_ATTACKS = ${JSON.stringify(JUDGE_BATTERY.flatMap(({ kind, submission }) => (kind === 'injection' && typeof submission === 'string' ? [submission.slice(0, 400)] : [])))};\n`;
    const { judgement } = await judge(server, filter);
    assert.deepEqual([judgement.outcome, judgement.score], ['pass', 90]);
    assert.ok(judgement.trust.reasons.some((reason) => reason.includes('address its judge')));
  });
});
