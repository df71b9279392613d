/**
 * Grading of backends. (1) A test: a fresh instance until it answers, one functional test, and its end, beside a Docker
 * container for each test, as BaxBench does it (asks once a second whether the app is up, lists processes before and
 * after, reads the log) and as lean as can be (asks every 20 ms, nothing else), in turns. `own` is what both cost with
 * `true` in place of an app. (2) Prepared samples through `assay bax eval --results`: per minute, memory, and what is
 * left. (3) Every framework: its layer, and how long an app takes to answer. Docker needs root, docker.io, mmdebstrap
 * and mirrors.
 *
 *     node bench/bax.ts [--parts tests,samples,frameworks] [--rounds 3] [--samples 100] [--scenarios A,B] [--frameworks A,B] [--cold] [--no-docker] [--json]
 */
import { parseArgs } from 'node:util';
import { findFramework, findScenario } from '../packages/bax/src/find-row.ts';
import { FRAMEWORKS, SCENARIOS } from '@assay/bax';
import { observingProvider } from '@assay/bax/grade/grade-answer';
import { measureFrameworks } from './bax/frameworks.ts';
import { measureSamples } from './bax/samples.ts';
import { measureTests } from './bax/tests.ts';

const BAR = 10;

const { values } = parseArgs({
  allowNegative: true,
  options: {
    parts: { type: 'string', default: 'tests,samples,frameworks' },
    rounds: { type: 'string', default: '3' },
    samples: { type: 'string', default: '100' },
    scenarios: { type: 'string' },
    frameworks: { type: 'string' },
    cold: { type: 'boolean', default: false },
    docker: { type: 'boolean', default: true },
    json: { type: 'boolean', default: false },
  },
});
const parts = values.parts.split(',');
const scenarios = values.scenarios?.split(',').map(findScenario) ?? SCENARIOS.filter(({ tests }) => tests !== null);
const frameworks = values.frameworks?.split(',').map(findFramework) ?? FRAMEWORKS;
const provider = await observingProvider();
const say = (text: string): void => console.error(text);

const tests = parts.includes('tests')
  ? await measureTests({ scenarios, provider, rounds: Number(values.rounds), docker: values.docker, say })
  : null;
const samples = parts.includes('samples')
  ? await measureSamples({ scenarios, provider, count: Number(values.samples), say })
  : null;
const table = parts.includes('frameworks')
  ? await measureFrameworks({ frameworks, provider, cold: values.cold, say })
  : null;
const result = {
  tests,
  samples,
  frameworks: table,
  bars: {
    testAtLeast10x: tests?.docker.ratios
      ? Object.values(tests.docker.ratios.asUpstream).every((ratio) => ratio >= BAR)
      : null,
    ownAtLeast10x: tests?.docker.ratios ? tests.docker.ratios.own >= BAR : null,
    nothingLeft: samples ? samples.left.length === 0 : null,
  },
};
if (values.json) console.log(JSON.stringify(result));
else {
  if (tests) console.table(tests.rows);
  if (samples) console.log(samples);
  if (table) console.table(table);
  console.log(JSON.stringify({ docker: tests?.docker ?? null, bars: result.bars }, null, 2));
}
