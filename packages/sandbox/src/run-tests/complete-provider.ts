import { dirname } from 'node:path';
import type { Sandbox, SandboxProvider } from '../contract.ts';
import { SandbankAdapter } from '../providers/sandbank/sandbank-adapter.ts';
import type { SandbankSandbox } from '../providers/sandbank/sandbank-types.ts';

/** Members of providers that go beyond the published contract. */
const FURTHER = [
  'name',
  'isolation',
  'limits',
  'takesLimits',
  'interactive',
  'hostSystem',
  'runs',
  'runCases',
] as const;

/**
 * The provider itself, or, when it has nothing but `create` and `destroy`, one that adds what options would ask for:
 * such a provider knows `image` and `timeout`, its files are texts, and its `exec` takes a shell line.
 */
export function completeProvider(provider: SandboxProvider): SandboxProvider {
  if (FURTHER.some((member) => provider[member] !== undefined)) return provider;
  return new SandbankAdapter({
    name: 'plain',
    create: async ({ image }) => completeSandbox(await provider.create(image === undefined ? {} : { image })),
    destroy: (id) => provider.destroy(id),
  });
}

function completeSandbox(sandbox: Sandbox): SandbankSandbox {
  return {
    id: sandbox.id,
    exec: (command, { timeout } = {}) => sandbox.exec(command, timeout === undefined ? {} : { timeout }),
    readFile: async (path) => Buffer.from(await sandbox.readFile(path)),
    writeFile: (path, content) => writeBytes(sandbox, path, Buffer.from(content)),
  };
}

/** Paths are the adapter's own, without anything that a shell would read. */
async function writeBytes(sandbox: Sandbox, path: string, bytes: Buffer): Promise<void> {
  const text = bytes.toString('utf8');
  if (Buffer.from(text).equals(bytes)) return sandbox.writeFile(path, text);
  await sandbox.writeFile(`${path}.base64`, bytes.toString('base64'));
  const { exitCode, stderr } = await sandbox.exec(
    `mkdir -p ${dirname(path)} && base64 -d < ${path}.base64 > ${path} && rm ${path}.base64`,
  );
  if (exitCode !== 0) throw new Error(`${path} cannot be written: ${stderr.trim()}`);
}
