import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import type { FakeModelService } from '../../lanes/src/fake-model/serve-fake-model.ts';
import { startFakeModel } from '../../lanes/src/fake-model/start-fake-model.ts';
import { modelJudge } from './model-judge.ts';

const NAMES = ['ASSAY_JUDGE_KEY', 'ASSAY_MODEL_KEY', 'OPENAI_API_KEY'];
const AGENT_KEY = 'sk-of-the-agents-service';
const JUDGE_KEY = 'sk-of-the-judges-service';

describe('the key of a model that judges', () => {
  let judge: FakeModelService;
  let other: FakeModelService;
  const saved = { ...process.env };
  const restore = (): void => {
    for (const name of NAMES) delete process.env[name];
    for (const name of NAMES) if (saved[name] !== undefined) process.env[name] = saved[name];
  };
  before(async () => {
    judge = await startFakeModel({ script: { turns: [{ say: 'yes' }] } });
    other = await startFakeModel({ script: { turns: [{ say: 'never' }] } });
  });
  afterEach(restore);
  after(async () => {
    await judge.close();
    await other.close();
  });

  /** Returns the key that the judge's service is shown. */
  async function shown(
    env: Record<string, string>,
    agentModel?: { endpoint: string; apiKey?: string },
  ): Promise<string | null | undefined> {
    for (const name of NAMES) delete process.env[name];
    Object.assign(process.env, env);
    const { model } = modelJudge({ endpoint: judge.endpoints.openai, model: 'm-1' }, agentModel);
    await model?.model.complete({ system: 'Judge.', user: 'this', maxTokens: 10 });
    return judge.requests.at(-1)?.key;
  }
  const elsewhere = (apiKey = AGENT_KEY): { endpoint: string; apiKey: string } => ({
    endpoint: other.endpoints.openai,
    apiKey,
  });

  test('is its own', async () => {
    for (const agent of [undefined, elsewhere(), { endpoint: judge.endpoints.openai, apiKey: AGENT_KEY }]) {
      assert.equal(await shown({ ASSAY_JUDGE_KEY: JUDGE_KEY, ASSAY_MODEL_KEY: AGENT_KEY }, agent), JUDGE_KEY);
    }
  });

  test('is that of the agent where both ask one service, or no agent asks one', async () => {
    assert.equal(
      await shown({ ASSAY_MODEL_KEY: AGENT_KEY }, { endpoint: `${judge.origin}/another/path`, apiKey: AGENT_KEY }),
      AGENT_KEY,
    );
    assert.equal(await shown({ ASSAY_MODEL_KEY: AGENT_KEY }), AGENT_KEY);
  });

  test('is never that of another service, whatever variable holds it', async () => {
    assert.equal(await shown({ ASSAY_MODEL_KEY: AGENT_KEY }, elsewhere()), null);
    assert.equal(await shown({ OPENAI_API_KEY: AGENT_KEY }, elsewhere()), null);
    assert.equal(await shown({ ASSAY_MODEL_KEY: AGENT_KEY, OPENAI_API_KEY: JUDGE_KEY }, elsewhere()), JUDGE_KEY);
    assert.equal(other.requests.length, 0);
  });

  test('that is none is told by its name', () => {
    Object.assign(process.env, { ASSAY_JUDGE_KEY: 'top secret' });
    assert.throws(
      () => modelJudge({ endpoint: judge.endpoints.openai, model: 'm-1' }),
      (error) =>
        AssayError.is(error) && error.message.startsWith('ASSAY_JUDGE_KEY: ') && !error.message.includes('top secret'),
    );
  });
});
