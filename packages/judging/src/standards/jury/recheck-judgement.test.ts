import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChecklistStandard, type Judgement, JudgePromptStandard } from '@assay/protocol';
import { useFakeModelServer } from '@assay/testkit';
import { openChatModel } from '@assay/lanes/models/chat-model';
import { judgeChecklist } from '../checklist/judge-checklist.ts';
import { parseAnswers } from '../checklist/parse-answers.ts';
import { judgeByModel } from '../judge-prompt/judge-by-model.ts';
import { recheckJudgement } from './recheck-judgement.ts';
import type { ModelRecord } from './record.ts';
import { scriptedAnswer } from './scripted-answer.fixture.ts';

async function judged(): Promise<[string, Judgement, ModelRecord[]][]> {
  const server = await useFakeModelServer((request) =>
    scriptedAnswer(request, request.system.includes('THE ITEMS') ? { i2: true, i3: false } : { c1: 71, c2: 50 }),
  );
  const endpoint = server.endpoints.anthropic;
  const options = { model: openChatModel({ endpoint, model: 'm', apiKey: 'k' }), modelName: 'm', endpoint };
  const prompted = JudgePromptStandard.parse({
    type: 'judge_prompt',
    prompt: 'p',
    criteria: ['a', 'b'],
    weights: [2, 1],
  });
  const work = Buffer.from('some work');
  const byModel = await judgeByModel(prompted, work, options);
  const empty = await judgeByModel(prompted, Buffer.from(''), options);
  const list = ChecklistStandard.parse({ type: 'checklist', items: ['a', 'b', 'c'] });
  const answers = parseAnswers('{"answers": [{"item": 1, "passed": true, "evidence": "seen"}]}');
  const checked = await judgeChecklist(list, work, { model: options, answers });
  return [
    ['by a model', byModel.judgement, [byModel.record]],
    ['of nothing', empty.judgement, [empty.record]],
    ['of a checklist', checked.judgement, checked.records],
  ];
}

test('a judgement follows from its record, and a changed one does not', async () => {
  const cases = await judged();
  assert.deepEqual(
    cases.map(([, { score }]) => score),
    [64, 0, 66],
  );
  for (const [name, judgement, records] of cases) {
    assert.deepEqual(recheckJudgement(judgement, records), [], name);
    const better = { ...judgement, score: 100, passed: true, outcome: 'pass' as const };
    assert.notDeepEqual(recheckJudgement(better, records), [], name);
    const raised = {
      ...better,
      results: judgement.results.map((result) =>
        result.kind === 'criterion'
          ? { ...result, score: 100 }
          : result.kind === 'item'
            ? { ...result, passed: true }
            : result,
      ),
    };
    assert.notDeepEqual(recheckJudgement(raised, records), [], name);
    if (records.length > 0 && name !== 'of nothing') {
      assert.deepEqual(recheckJudgement(judgement, []).includes('the transcript is not that of the digest'), true);
      const altered = records.map((record) => ({
        ...record,
        exchanges: record.exchanges.map((exchange) => ({
          ...exchange,
          answer: exchange.answer?.replace('71', '99').replace('false', 'true') ?? null,
        })),
      }));
      assert.deepEqual(
        recheckJudgement(judgement, altered).slice(0, 2),
        ['the transcript is not that of the digest', 'the samples are not what the transcript says'],
        name,
      );
    }
  }
});
