import { AssayError } from '@assay/protocol/errors';
import type { SandboxProvider } from '../contract.ts';
import type { SubmissionLanguage } from '../run-tests/case-outcome.ts';
import { CATALOGUE } from '../providers/catalogue.ts';
import { chooseProvider } from './choose-provider.ts';
import { REGISTERED } from './register-provider.ts';

/** Providers that take names of their own; each is loaded when it is asked for. */
const FURTHER: Record<string, (rest: string) => Promise<SandboxProvider>> = {
  quickjs: async () => new (await import('../providers/quickjs/quickjs-provider.ts')).QuickJSProvider(),
  wasm: async () => new (await import('../providers/quickjs/quickjs-provider.ts')).QuickJSProvider(),
  'node-vm': async () => new (await import('../providers/node-vm/node-vm-provider.ts')).NodeVMProvider(),
  docker: async (image) =>
    new (await import('../providers/docker/docker-provider.ts')).DockerProvider(image === '' ? {} : { image }),
};

/**
 * The provider that runs test cases in a language, or a shell: by name (`quickjs`, `node-vm`, `docker`, `docker:IMAGE`,
 * or what `chooseProvider` knows), else QuickJS for JavaScript and TypeScript and the strongest process provider for
 * the others. Throws `UNKNOWN_PROVIDER`, `PROVIDER_UNAVAILABLE`, `NO_PROVIDER`, and `BAD_OPTION` when the one that is
 * named cannot run the language.
 */
export async function chooseTestProvider(
  language: SubmissionLanguage | 'shell',
  name?: string,
): Promise<SandboxProvider> {
  const isScript = language === 'javascript' || language === 'typescript';
  const wanted = name ?? (isScript ? 'quickjs' : undefined);
  if (wanted === undefined) return chooseProvider();
  const [first = '', ...rest] = wanted.split(':');
  const further = Object.hasOwn(FURTHER, first) ? FURTHER[first] : undefined;
  if (!further) {
    const processes = [
      ...CATALOGUE.flatMap((entry) => [entry.name, ...entry.aliases]),
      ...REGISTERED.map((provider) => provider.name),
    ];
    if (!processes.includes(wanted))
      throw new AssayError('UNKNOWN_PROVIDER', {
        name: wanted,
        known: [...Object.keys(FURTHER), ...processes].join(', '),
      });
    return chooseProvider(wanted);
  }
  const provider = await further(rest.join(':'));
  if (provider.runs === 'javascript' && !isScript)
    throw new AssayError('BAD_OPTION', {
      option: '--provider',
      detail: `${first} runs JavaScript alone, and this needs ${language === 'shell' ? 'a shell' : language}`,
    });
  return provider;
}
