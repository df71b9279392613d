// The example of the evaluation documents' own page, line by line; the lines around it only give it its inputs and say
// what came out.
import { runTests, calcScore } from '@assay/sandbox';
import { NodeVMProvider } from '@assay/sandbox/node-vm';

const evaluationCID = {
  type: 'test_cases',
  functionName: 'deepMerge',
  cases: [
    { input: [{ a: 1 }, { b: 2 }], expected: { a: 1, b: 2 }, desc: 'merge two flat objects' },
    { input: [{ a: { x: 1 } }, { a: { y: 2 } }], expected: { a: { x: 1, y: 2 } }, desc: 'deep merge nested objects' },
    { input: [{ a: [1, 2] }, { a: [3] }], expected: { a: [3] }, desc: 'arrays overwrite (not merge)' },
  ],
};

const submittedCode = `function deepMerge(a, b) {
  if (Array.isArray(a) && Array.isArray(b)) return [...a, ...b];
  const isObject = (value) => typeof value === 'object' && value !== null;
  if (!isObject(a) || !isObject(b)) return b;
  const merged = { ...a };
  for (const key of Object.keys(b)) merged[key] = key in a ? deepMerge(a[key], b[key]) : b[key];
  return merged;
}`;

const provider = new NodeVMProvider();

// Run submitted code against test cases
const results = await runTests(
  provider,
  submittedCode, // agent's submitted solution
  'deepMerge', // function name to test
  evaluationCID.cases, // test cases from evaluationCID
);

// Calculate score: (passed / total) × maxPoints
const score = calcScore(results, 100);

// Sandbox API
const sandbox = await provider.create({ timeout: 5000 });
await sandbox.writeFile('notes/hello.txt', 'hello');
const file = await sandbox.readFile('notes/hello.txt');
const exec = await sandbox.exec('console.log(6 * 7)', { timeout: 1000 });
await sandbox.destroy();
await provider.destroy(sandbox.id);

process.stdout.write(
  JSON.stringify({ results, score, node: process.versions.node, id: typeof sandbox.id, file, exec }),
);
