import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SMALL_QUESTION } from '../../../../lanes/src/model-lane/dialects/small-question.ts';
import { calm } from '@assay/lanes/model-lane/rules';
import type { FakeModelScriptInput, ScriptEntryInput } from '../../../../lanes/src/fake-model/script.ts';
import { cacheDirectory } from '@assay/files/store/paths';
import type { CliEnd } from './cli-agent.ts';
import { driveCli, type CliDrive, type DrivenCli } from './drive-cli.fixture.ts';
import { findCliAgent } from './find-cli-agent.ts';
import { isInstalled } from './install-cli.ts';

/** Differences between the members. */
export interface CliExpectations {
  name: string;
  /** Words of a text for agents at the top of a repository that its model is given. */
  readsText: string;
  /** How it ends after one stream that broke in the middle. */
  afterCut: CliEnd['state'];
  /** Steering files of a repository. Where the CLI obeys them, a control shows that they do create `steered`. */
  steering: Record<string, string>;
  obeysSteering: boolean;
}

const INSTRUCTION = 'Follow the plan of the purple otter.\n';
const TREE = {
  'greeting.txt': 'hello\ngood morning\nbye\n',
  'AGENTS.md': 'Agents: mind the walrus.\n',
  'CLAUDE.md': 'Claude: mind the walrus.\n',
  'GEMINI.md': 'Gemini: mind the walrus.\n',
};
const FACTS =
  'id -u > facts.txt; grep CapEff /proc/self/status >> facts.txt; cat AGENTS.md CLAUDE.md GEMINI.md >> facts.txt';
const READ: ScriptEntryInput = {
  say: 'I read the file first.',
  tools: [{ name: 'read_file', arguments: { path: 'greeting.txt' } }],
};
const WORK: ScriptEntryInput[] = [
  {
    say: 'Now I write one.',
    tools: [{ name: 'write_file', arguments: { path: 'answer.txt', content: 'forty two\n' } }],
  },
  {
    say: 'And change the first.',
    tools: [{ name: 'edit_file', arguments: { path: 'greeting.txt', old: 'good morning', new: 'good evening' } }],
  },
  { say: 'And run a command.', tools: [{ name: 'run_shell', arguments: { command: FACTS } }] },
  { say: 'All is done.' },
];
const PLAN: FakeModelScriptInput = { turns: [READ, ...WORK] };
/** Answers with a status every time, even to the lane's own question. */
const always = (status: number): FakeModelScriptInput => {
  const fault: ScriptEntryInput = { fault: 'status', status, message: 'the walrus objects', repeat: 'always' };
  return { turns: [READ, { ...fault, when: { contains: SMALL_QUESTION } }, fault] };
};

/**
 * Declares the tests that every member must pass: the CLI as it comes from npm, in a bubblewrap sandbox with the model
 * lane and nothing else, in front of the fake model. They download 100 to 400 MB: if the CLI is not in the cache and
 * `ASSAY_TEST_CLIS` is not 1, a test says that they did not run.
 */
export async function describeCliAgent(expected: CliExpectations): Promise<void> {
  const agent = findCliAgent(expected.name);
  assert.ok(agent);
  const isThere = await isInstalled(agent.recipe, agent.version, cacheDirectory());
  if (!isThere && process.env['ASSAY_TEST_CLIS'] !== '1') {
    test(`${expected.name}: its conformance was not tested, as it is not in the cache`, (context) => {
      context.diagnostic(`ASSAY_TEST_CLIS=1 downloads ${agent.recipe.package}@${agent.version} and tests it`);
    });
    return;
  }
  const drive = (more: Partial<CliDrive>): Promise<DrivenCli> =>
    driveCli(agent, { script: PLAN, tree: TREE, instruction: INSTRUCTION, ...more });
  const paths = ({ change }: DrivenCli): string[] => [...change.files.map(({ path }) => path), ...change.deleted];
  const contentOf = ({ change }: DrivenCli, path: string): string =>
    Buffer.from(change.files.find((file) => file.path === path)?.content ?? '').toString();

  describe(`${expected.name} ${agent.version}`, () => {
    test('reads the instruction, works by its own tools without privileges, and leaves nothing but its work', async () => {
      const driven = await drive({});
      assert.deepEqual(
        [driven.run.end.state, driven.run.couldNotWork, driven.stop],
        ['ended', undefined, null],
        driven.run.exec?.stderr,
      );
      const asked = JSON.stringify(driven.entries.find(({ outcome }) => outcome === 'answered')?.request.body);
      assert.ok(asked.includes('the purple otter'));
      assert.ok(asked.includes(expected.readsText));
      assert.deepEqual(paths(driven), ['answer.txt', 'facts.txt', 'greeting.txt']);
      assert.equal(contentOf(driven, 'answer.txt'), 'forty two\n');
      assert.equal(contentOf(driven, 'greeting.txt'), 'hello\ngood evening\nbye\n');
      assert.equal(
        contentOf(driven, 'facts.txt'),
        `1000\nCapEff:\t0000000000000000\n${TREE['AGENTS.md']}${TREE['CLAUDE.md']}${TREE['GEMINI.md']}`,
      );
      assert.deepEqual(
        driven.entries.filter(({ outcome }) => outcome !== 'answered'),
        [],
      );
    });

    test('files of the repository that would steer it are covered, and count as unchanged', async () => {
      const tree = { ...TREE, ...expected.steering };
      if (expected.obeysSteering) {
        const control = await drive({ tree, script: { turns: [{ say: 'Done.' }] }, uncovered: true });
        assert.ok(paths(control).includes('steered'), 'the control');
      }
      const files = Object.keys(expected.steering).join(' ');
      const look: ScriptEntryInput = {
        tools: [
          {
            name: 'run_shell',
            arguments: {
              command: `cat ${files} > seen.txt 2>/dev/null; for f in ${files}; do unlink $f; done; echo forged > ${files.split(' ')[0] ?? ''}`,
            },
          },
        ],
      };
      const driven = await drive({ tree, script: { turns: [look, { say: 'Done.' }] } });
      assert.equal(driven.run.end.state, 'ended', driven.run.end.detail);
      assert.deepEqual(paths(driven), ['seen.txt']);
      assert.equal(contentOf(driven, 'seen.txt'), '');
    });

    test('a request that the service refuses ends it as failed, with the words of the service', async () => {
      const driven = await drive({ script: always(400) });
      assert.equal(driven.run.end.state, 'failed');
      assert.match(driven.run.end.detail, /the walrus objects/);
      assert.equal(driven.entries.filter(({ outcome }) => outcome === 'upstream-refused').length, 1);
    });

    test('a model that the lane does not have is refused, and ends it as stopped', async () => {
      const driven = await drive({ model: 'another-model' });
      assert.equal(driven.run.end.state, 'stopped');
      assert.match(driven.run.end.detail, /another-model not allowed/);
      assert.ok(driven.entries.length > 0 && driven.entries.every(({ outcome }) => outcome === 'refused'));
    });

    // 500 in words makes one of them ask again.
    for (const budgets of [{ outputTokens: 10 }, { requests: 2 }, { inputTokens: 500 }]) {
      test(`a spent budget of ${Object.keys(budgets).join()} ends it as stopped`, async () => {
        const driven = await drive({ budgets });
        assert.equal(driven.run.end.state, 'stopped', driven.run.end.detail);
        assert.ok(driven.stop !== null);
        assert.equal(driven.run.end.detail, calm(driven.stop.detail));
        assert.equal(driven.entries.filter(({ outcome }) => outcome === 'budget').length, 1);
      });
    }

    test('429 and 500 that the lane absorbs are not seen', async () => {
      const driven = await drive({
        script: {
          order: 'requests',
          turns: [READ, { fault: 'status', status: 500 }, { fault: 'status', status: 429 }, ...WORK],
        },
      });
      assert.deepEqual([driven.run.end.state, driven.usage.retries, paths(driven).length], ['ended', 2, 3]);
    });

    for (const status of [500, 429]) {
      test(`${status} for good stops the lane, which says whose fault it was, and the agent ends by itself`, async () => {
        const driven = await drive({ script: always(status) });
        assert.notEqual(driven.run.exec, null);
        assert.equal(driven.stop?.kind, 'infrastructure');
        assert.equal(driven.run.end.state, 'stopped', driven.run.end.detail);
      });
    }

    test(`a stream that is cut ends it as ${expected.afterCut}`, async () => {
      const driven = await drive({
        script: { order: 'requests', turns: [READ, { fault: 'cut', say: 'half of it', afterEvents: 2 }, ...WORK] },
      });
      assert.equal(driven.run.end.state, expected.afterCut, driven.run.end.detail);
      assert.equal(driven.entries.filter(({ outcome }) => outcome === 'infrastructure').length, 1);
      assert.equal(driven.usage.broken, 1);
    });
  });
}
