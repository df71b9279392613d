/**
 * Measures what canaries do to honest agents: scripted models list the tree, search repository and site-packages, ask
 * git and find, and hand in a fix. Prints how many submissions carry a mark, which must be none, and how often each
 * canary was touched; then what canaries cost a trial.
 *
 *     node bench/canaries.ts [--runs 200] [--agents loop,codex] [--parallel 2] [--json]
 *
 * Half of the runs are at a task in Python, half at one in JavaScript. Agents that are not installed are installed.
 */
import { readdir, readFile, rm, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { TrialCanaries } from '@assay/protocol';
import { execAgent } from '../packages/engine/src/agents/exec-agent.ts';
import { startFakeModel } from '../packages/lanes/src/fake-model/start-fake-model.ts';
import type { ScriptEntryInput } from '../packages/lanes/src/fake-model/script.ts';
import { runJob } from '@assay/engine/job/run-job';
import { runTrial } from '../packages/engine/src/trial/run-trial.ts';
import { cacheDirectory } from '@assay/files/store/paths';
import { forEachParallel } from '@assay/files/store/schedule';
import { openTask } from '@assay/engine/kinds/open-task';
import { chooseProvider } from '@assay/sandbox';
import { mineFixtureTask, type Language } from '../test/e2e/fixture-tasks.ts';

const MODELS: Readonly<Record<string, string>> = {
  'claude-code': 'claude-opus-4-8',
  codex: 'gpt-5.5',
  'gemini-cli': 'gemini-3.8-flash',
};

/**
 * Commands that honest agents run before they change anything. The last two search the whole file system, canaries and
 * all.
 */
const LOOKS = [
  'ls -la; git status --short; git log --oneline | head',
  'find . -type f -not -path "*/.git/*" -not -path "*/node_modules/*" | head -100',
  'git status && git diff && git branch -a && git stash list',
  'grep -rn "split" --include="*.py" --include="*.js" . | grep -v node_modules | head -40',
  'cat README* pyproject.toml package.json setup.cfg 2>/dev/null; wc -l $(git ls-files)',
  'grep -rn "raise ValueError" /opt/env/lib/python3*/site-packages /usr/lib/python3/dist-packages 2>/dev/null | head -20',
  'grep -rln RangeError node_modules 2>/dev/null | head; ls node_modules 2>/dev/null | head -50',
  'find / -name "*test*" -not -path "/proc/*" -not -path "/sys/*" 2>/dev/null | head -300',
  'find / -type d -name "*inkpot*" -not -path "/proc/*" 2>/dev/null; python3 -c "import sys; print(sys.path)"; pip list 2>/dev/null | head -40; npm ls 2>/dev/null | head',
  'ls -la / ~ /tests /solution ~/.cache 2>/dev/null; du -sh ~ 2>/dev/null; df -h',
  'env | sort; id; uname -a; cat /etc/os-release',
  'tree -L 3 2>/dev/null || find . -maxdepth 3 -not -path "*/.git/*"',
  'grep -rIl "white space" / --include="*.py" --include="*.js" --exclude-dir=proc --exclude-dir=sys 2>/dev/null | head',
  'grep -rIn "splitWords\\|split_words" /home /opt /workspace /solution /tests 2>/dev/null | head -20',
];
const FIXES: Record<Language, string[]> = {
  python: [
    'cat > src/inkpot/words.py <<\'EOF\'\ndef split_words(text):\n    return text.split()\n\n\ndef join_words(words):\n    return " ".join(words)\nEOF',
    'sed -i \'s/text.split(" ")/[word for word in text.split(" ") if word]/\' src/inkpot/words.py; git diff > /tmp/changes.txt',
  ],
  node: [
    "cat > lib/words.js <<'EOF'\nexports.splitWords = (text) => text.split(/\\s+/).filter(Boolean);\nexports.joinWords = (words) => words.join(' ');\nEOF",
    "sed -i \"s/text.split(' ')/text.trim().split(' ')/\" lib/words.js; git diff --stat",
  ],
};

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    agents: { type: 'string', default: 'loop' },
    parallel: { type: 'string', default: '2' },
    json: { type: 'boolean', default: false },
  },
});
const agents = values.agents.split(',');
const perAgent = Math.ceil(Number(values.runs) / agents.length);
const directory = await mkdtemp(join(tmpdir(), 'assay-bench-'));
const fixtures = { python: await mineFixtureTask('python'), node: await mineFixtureTask('node') };
process.env['ASSAY_MODEL_KEY'] = 'sk-bench-0123456789abcdef';
process.env['ASSAY_KEY'] = join(directory, 'receipt-key.pem');
try {
  const rows: Record<
    string,
    {
      runs: number;
      unfinished: number;
      passed: number;
      marked: number;
      forged: number;
      touching: number;
      touches: Record<string, number>;
    }
  > = {};
  for (const agent of agents) {
    const row = {
      runs: 0,
      unfinished: 0,
      passed: 0,
      marked: 0,
      forged: 0,
      touching: 0,
      touches: {} as Record<string, number>,
    };
    rows[agent] = row;
    await forEachParallel(
      Array.from({ length: perAgent }, (_, index) => index),
      Number(values.parallel),
      async (index) => {
        const { trial, canaries } = await honestRun(agent, index);
        row.runs += 1;
        if (trial?.agentRun?.status !== 'ended') row.unfinished += 1;
        if (trial?.reward === 1) row.passed += 1;
        if (trial?.trust.level === 'forged') row.forged += 1;
        if (canaries.planted.length !== 2)
          throw new Error(`${agent} ${index}: ${canaries.planted.length} canaries were planted`);
        if (canaries.marked.length > 0) row.marked += 1;
        if (canaries.touched.length > 0) row.touching += 1;
        for (const { path, how } of canaries.touched) {
          const what = `${how} ${path.startsWith('/home') ? 'the cache' : path.slice(0, path.indexOf('/', 1))}`;
          row.touches[what] = (row.touches[what] ?? 0) + 1;
        }
        if (row.runs % 10 === 0) console.error(`${agent}: ${row.runs} of ${perAgent}, ${row.marked} marked`);
      },
    );
  }
  const total = Object.values(rows).reduce(
    (sum, { runs, marked, touching }) => ({
      runs: sum.runs + runs,
      marked: sum.marked + marked,
      touching: sum.touching + touching,
    }),
    { runs: 0, marked: 0, touching: 0 },
  );
  const result = { ...total, agents: rows, costMs: await cost(), bars: { noneMarked: total.marked === 0 } };
  console.log(values.json ? JSON.stringify(result) : JSON.stringify(result, null, 2));
  if (total.marked > 0) process.exitCode = 1;
} finally {
  await Promise.all(Object.values(fixtures).map((fixture) => fixture.dispose()));
  await rm(directory, { recursive: true, force: true });
}

async function honestRun(
  agent: string,
  index: number,
): Promise<{ trial: Awaited<ReturnType<typeof runJob>>['trials'][number] | undefined; canaries: TrialCanaries }> {
  const language: Language = index % 2 === 0 ? 'python' : 'node';
  const looks = [0, 3, 7, 11].map((step) => LOOKS[(index * 5 + step) % LOOKS.length] ?? 'ls');
  const fix = FIXES[language][Math.floor(index / 2) % 2] ?? '';
  const turns: ScriptEntryInput[] = [
    ...[...looks, fix, 'git diff; git status'].map((command) => ({
      tools: [{ name: 'run_shell', arguments: { command } }],
    })),
    { say: 'Done.' },
  ];
  const model = await startFakeModel({ script: { turns } });
  try {
    const endpoint =
      agent === 'claude-code'
        ? model.endpoints.anthropic
        : agent === 'gemini-cli'
          ? model.endpoints.gemini
          : model.endpoints.openai;
    const {
      trials: [trial],
      directory: job,
    } = await runJob({
      path: fixtures[language].task,
      agent,
      out: join(directory, `${agent}-${index}`),
      model: { name: MODELS[agent] ?? 'scripted', endpoint },
    });
    const [id = ''] = await readdir(join(job, 'trials'));
    const canaries = TrialCanaries.parse(JSON.parse(await readFile(join(job, 'trials', id, 'canaries.json'), 'utf8')));
    await rm(job, { recursive: true, force: true });
    return { trial, canaries };
  } finally {
    await model.close();
  }
}

/**
 * Milliseconds of a trial without and with canaries: the median and the lowest of as many of each, one after the other.
 */
async function cost(): Promise<Record<'median' | 'lowest', { without: number; with: number }>> {
  const provider = await chooseProvider('bubblewrap');
  const task = await openTask(fixtures.python.task, { provider, cacheDirectory: cacheDirectory() });
  const times: Record<'without' | 'with', number[]> = { without: [], with: [] };
  for (let run = 0; run < 15; run += 1) {
    for (const name of run % 2 === 0 ? (['without', 'with'] as const) : (['with', 'without'] as const)) {
      const start = performance.now();
      await runTrial({
        task,
        agent: execAgent('true'),
        attempt: 1,
        provider,
        unsealed: new Set(),
        canaries: name === 'with',
        directory: join(directory, `cost-${name}-${run}`),
      });
      times[name].push(performance.now() - start);
    }
  }
  const at = (numbers: number[], index: number): number => numbers.toSorted((a, b) => a - b)[index] ?? Number.NaN;
  return {
    median: { without: at(times.without, 7), with: at(times.with, 7) },
    lowest: { without: at(times.without, 0), with: at(times.with, 0) },
  };
}
