import assert from 'node:assert/strict';
import {
  AssayError,
  calcScore,
  chooseProvider,
  runTests,
  type ExecResult as OurResult,
  type Sandbox as OurSandbox,
  type SandboxProvider as OurProvider,
  type TestCase as OurCase,
  type TestResult,
} from '@assay/sandbox';
import { bubblewrapProvider } from '@assay/sandbox/bubblewrap';
import { DockerProvider } from '@assay/sandbox/docker';
import { NodeVMProvider } from '@assay/sandbox/node-vm';
import { runcProvider, runscProvider } from '@assay/sandbox/oci';
import { QuickJSProvider } from '@assay/sandbox/quickjs';
import { SandbankAdapter } from '@assay/sandbox/sandbank';

// The interfaces as the page states them.
interface SandboxProvider {
  create(opts?: { image?: string; timeout?: number }): Promise<Sandbox>;
  destroy(id: string): Promise<void>;
}
interface Sandbox {
  id: string;
  writeFile(path: string, content: string): Promise<void>;
  readFile(path: string): Promise<string>;
  exec(command: string, opts?: { timeout?: number }): Promise<ExecResult>;
  destroy(): Promise<void>;
}
interface ExecResult {
  stdout: string;
  stderr: string;
  exitCode: number;
}
interface TestCase {
  input: unknown[];
  expected: unknown;
  desc?: string;
}

const sandbank = {
  name: 'none',
  create: () => Promise.reject(new Error('there is nothing behind it')),
  destroy: () => Promise.resolve(),
};

// Each of our providers is one of the page's.
const providers: SandboxProvider[] = [
  new NodeVMProvider(),
  new QuickJSProvider(),
  bubblewrapProvider(),
  runcProvider(),
  runscProvider(),
  new DockerProvider(),
  new SandbankAdapter(sandbank),
];
assert.equal(providers.length, 7);
const chosen: (name?: string) => Promise<SandboxProvider> = chooseProvider;
assert.equal(typeof chosen, 'function');

// A value of the page's interfaces is one of ours.
const sandboxOf = (sandbox: Sandbox): OurSandbox => sandbox;
const resultOf = (result: ExecResult): OurResult => result;
const providerOf = (provider: SandboxProvider): OurProvider => provider;
assert.equal(new Set([sandboxOf, resultOf, providerOf]).size, 3);

const cases: TestCase[] = [
  { input: [1, 2], expected: 3 },
  { input: [0.1, 0.2], expected: 0.3, desc: 'decimals' },
];
const taken: OurCase[] = cases;
const code = 'export const add = (a: number, b: number): number => a + b;';
const results: TestResult[] = await runTests(new QuickJSProvider(), code, 'add', taken);
assert.deepEqual(
  results.map(({ desc, passed }) => [desc, passed]),
  [
    ['test', true],
    ['decimals', false],
  ],
);
assert.equal(calcScore(results, 100), 50);
assert.equal(calcScore(await runTests(new QuickJSProvider(), code, 'add', cases, { numberTolerance: 1e-9 }), 100), 100);

await assert.rejects(
  runTests(new QuickJSProvider(), code, 'add()', cases),
  (error: unknown) => AssayError.is(error) && error.code === 'BAD_OPTION',
);
await assert.rejects(
  new SandbankAdapter(sandbank).create(),
  (error: unknown) => AssayError.is(error) && error.code === 'SANDBOX_START_FAILED',
);
// dockerode is not installed beside this file.
await assert.rejects(
  new DockerProvider({ image: 'any' }).create(),
  (error: unknown) =>
    AssayError.is(error) && error.code === 'PROVIDER_UNAVAILABLE' && error.message.includes('npm install dockerode'),
);
// Elsewhere than on Linux what needs its namespaces says so, and the others work.
Object.defineProperty(process, 'platform', { value: 'darwin' });
const needsLinux = (error: unknown): boolean =>
  AssayError.is(error) && error.code === 'PROVIDER_UNAVAILABLE' && error.message.includes('it needs Linux');
for (const provider of [bubblewrapProvider(), runcProvider(), new DockerProvider({ image: 'any' })])
  await assert.rejects(provider.create(), needsLinux);
for (const provider of [new NodeVMProvider(), new QuickJSProvider()])
  assert.equal(calcScore(await runTests(provider, code, 'add', cases.slice(0, 1)), 100), 100);
process.stdout.write(process.versions.node);
