/**
 * Measures how long it takes to judge a submission of 10 cases: in QuickJS, a fresh runtime for each case; against
 * `node:vm` without isolation; in Python with bubblewrap. Then the memory of 1,000 submissions.
 *
 *     node bench/judge.ts [--runs 300] [--submissions 1000] [--json]
 */
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import {
  bubblewrapProvider,
  runTests,
  type RunTestsOptions,
  type SandboxProvider,
  type TestCase,
} from '@assay/sandbox';
import { NodeVMProvider } from '@assay/sandbox/node-vm';
import { QuickJSProvider } from '@assay/sandbox/quickjs';
import { judgeUnisolated } from './unisolated-judge.ts';

const MIB = 1024 * 1024;
/** Submissions in a row, as for a judge that has several waiting. */
const BLOCK = 25;
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '300' },
    submissions: { type: 'string', default: '1000' },
    json: { type: 'boolean', default: false },
  },
});
const runs = Number(values.runs);

const JAVASCRIPT = `function deepMerge(target, source) {
  const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
  const result = { ...target };
  for (const key of Object.keys(source)) {
    result[key] = isObject(result[key]) && isObject(source[key]) ? deepMerge(result[key], source[key]) : source[key];
  }
  return result;
}`;
const PYTHON = `def deepMerge(target, source):
    result = dict(target)
    for key, value in source.items():
        both = isinstance(result.get(key), dict) and isinstance(value, dict)
        result[key] = deepMerge(result[key], value) if both else value
    return result
`;
const CASES: TestCase[] = Array.from({ length: 10 }, (_, index) => ({
  input: [
    { a: { x: index, list: [1, 2] }, keep: 'yes' },
    { a: { y: 2, list: [3] }, more: [index] },
  ],
  expected: { a: { x: index, list: [3], y: 2 }, keep: 'yes', more: [index] },
  desc: `case ${index}`,
}));

const quickjs = new QuickJSProvider();
const [isolated, unisolated] = await interleaved(runs, [
  () => judge(quickjs, JAVASCRIPT),
  async () =>
    allPass(
      judgeUnisolated(
        JAVASCRIPT,
        'deepMerge',
        CASES.map(({ input, expected = null }) => ({ input, expected })),
      ),
    ),
]);
const nodeVm = await interleaved(Math.ceil(runs / 5), [() => judge(new NodeVMProvider(), JAVASCRIPT)]);
const python = await interleaved(Math.max(5, Math.ceil(runs / 30)), [
  () => judge(bubblewrapProvider(), PYTHON, { language: 'python' }),
]).catch((error: unknown) => String(error));
const memory = await manySubmissions(Number(values.submissions));

const result = {
  cases: CASES.length,
  quickjs: isolated,
  unisolated,
  nodeVm: nodeVm[0],
  python: typeof python === 'string' ? python : python[0],
  ratioToUnisolated: isolated && unisolated ? isolated.p50Ms / unisolated.p50Ms : null,
  memory,
  bars: {
    quickjsUnder3Ms: (isolated?.p50Ms ?? Infinity) < 3,
    noSlowerThanUnisolated: (isolated?.p50Ms ?? Infinity) <= (unisolated?.p50Ms ?? 0),
    pythonUnder250Ms: typeof python === 'string' ? null : (python[0]?.p50Ms ?? Infinity) < 250,
    flatMemory: memory.after.rssMib - memory.afterTenth.rssMib < 64,
  },
};
if (values.json) console.log(JSON.stringify(result));
else printTable();

async function judge(provider: SandboxProvider, code: string, options: RunTestsOptions = {}): Promise<void> {
  allPass(await runTests(provider, code, 'deepMerge', CASES, { timeoutMs: 20_000, ...options }));
}

function allPass(results: readonly { passed: boolean; error?: string }[]): void {
  const failed = results.find(({ passed }) => !passed);
  if (failed) throw new Error(`a right submission did not pass: ${failed.error}`);
}

interface Times {
  p50Ms: number;
  p95Ms: number;
  runs: number;
}

/** In turns of a block each, so that whatever else the machine does falls on all alike. */
async function interleaved(times: number, works: readonly (() => Promise<void>)[]): Promise<Times[]> {
  const took = works.map((): number[] => []);
  for (const work of works) for (let warm = 0; warm < 3; warm += 1) await work();
  for (let run = 0; run < times; run += BLOCK) {
    for (const [index, work] of works.entries()) {
      for (let within = run; within < Math.min(times, run + BLOCK); within += 1) {
        const start = performance.now();
        await work();
        took[index]?.push(performance.now() - start);
      }
    }
  }
  return took.map((each) => {
    const sorted = each.toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.floor(share * sorted.length)] ?? Number.NaN;
    return { p50Ms: at(0.5), p95Ms: at(0.95), runs: each.length };
  });
}

/** Submissions that differ, four at a time, some of them bad. */
async function manySubmissions(
  count: number,
): Promise<Record<'before' | 'afterTenth' | 'after', { submissions: number; rssMib: number }>> {
  let next = 0;
  const upTo = async (end: number): Promise<{ submissions: number; rssMib: number }> => {
    const work = async (): Promise<void> => {
      while (next < end) {
        const index = (next += 1);
        if (index % 10 === 0)
          await runTests(
            quickjs,
            `const big = []; for (;;) big.push("${index}".repeat(1000));`,
            'deepMerge',
            CASES.slice(0, 1),
            { timeoutMs: 200, memoryBytes: 16 * MIB },
          );
        else await judge(quickjs, `// ${index}\n${JAVASCRIPT}`);
      }
    };
    await Promise.all(Array.from({ length: 4 }, work));
    return { submissions: end, rssMib: Math.round(process.memoryUsage.rss() / MIB) };
  };
  return { before: await upTo(0), afterTenth: await upTo(Math.ceil(count / 10)), after: await upTo(count) };
}

function printTable(): void {
  const line = (name: string, times: Times | string | undefined): string =>
    typeof times === 'object'
      ? `| ${name} | ${times.p50Ms.toFixed(2)} | ${times.p95Ms.toFixed(2)} | ${times.runs} |`
      : `| ${name} | ${times ?? '-'} | | |`;
  console.log(
    [
      '| 10 cases | p50 ms | p95 ms | runs |',
      '|---|---|---|---|',
      line('quickjs, a fresh runtime per case', result.quickjs),
      line('node:vm as published, a context per case, no isolation', result.unisolated),
      line('NodeVMProvider', result.nodeVm),
      line('Python, bubblewrap', result.python),
    ].join('\n'),
  );
  console.log(`\nquickjs / unisolated: ${result.ratioToUnisolated?.toFixed(2)}`);
  console.log(
    `\n| submissions judged | RSS MiB |\n|---|---|\n${Object.values(memory)
      .map(({ submissions, rssMib }) => `| ${submissions} | ${rssMib} |`)
      .join('\n')}\n`,
  );
  for (const [bar, holds] of Object.entries(result.bars))
    console.log(`${holds === null ? 'not measured' : holds ? 'holds' : 'MISSED'}: ${bar}`);
}
