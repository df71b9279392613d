import { delimiter, dirname, isAbsolute } from 'node:path';
import { AssayError } from '@assay/protocol/errors';
import type { Mount, SandboxProvider } from '../contract.ts';
import type { CaseRequest, SubmissionLanguage } from '../run-tests/case-outcome.ts';
import type { ProcessLanguage } from './language.ts';

/** Options of a sandbox that make a toolchain of this machine available in it. */
export interface LanguageTools {
  mounts: Mount[];
  env: Record<string, string>;
}

/** Loaded on demand. */
const LANGUAGES: Record<SubmissionLanguage, () => Promise<ProcessLanguage>> = {
  javascript: async () => (await import('./node/node-language.ts')).nodeLanguage,
  typescript: async () => (await import('./node/node-language.ts')).nodeLanguage,
  python: async () => (await import('./python/python-language.ts')).pythonLanguage,
  go: async () => (await import('./go/go-language.ts')).goLanguage,
  rust: async () => (await import('./rust/rust-language.ts')).rustLanguage,
};

const SYSTEM_PATH = ['/usr/local/bin', '/usr/bin', '/bin'];

/**
 * The toolchains with which test cases in these languages are run, on the PATH. A language that this machine lacks is
 * left out; nothing is brought into sandboxes that do not hold this machine's system.
 */
export async function languageTools(
  languages: readonly SubmissionLanguage[],
  provider: SandboxProvider,
): Promise<LanguageTools> {
  if (provider.hostSystem !== true) return { mounts: [], env: {} };
  const mounts = new Map<string, Mount>();
  const env: Record<string, string> = {};
  const path: string[] = [];
  for (const language of languages) {
    const tools = await toolsOf(language, provider);
    if (!tools) continue;
    for (const mount of tools.mounts) mounts.set(mount.target, mount);
    Object.assign(env, tools.env);
    path.push(...tools.path);
  }
  const known = env['PATH']?.split(delimiter) ?? [];
  return {
    mounts: [...mounts.values()],
    env: { ...env, PATH: [...new Set([...path, ...known, ...SYSTEM_PATH])].join(delimiter) },
  };
}

/** Returns what the build and the run of an empty program would mount. */
async function toolsOf(
  language: SubmissionLanguage,
  provider: SandboxProvider,
): Promise<(LanguageTools & { path: string[] }) | null> {
  const request: CaseRequest = {
    source: language === 'rust' ? 'fn none() -> i64 { 0 }' : '',
    language: language === 'typescript' ? 'javascript' : language,
    functionName: 'none',
    signature: { parameters: [], returns: { kind: 'i64' } },
    cases: [],
  };
  const known = await LANGUAGES[language]();
  const plan = await known.plan(request, provider).catch((error: unknown) => {
    if (AssayError.is(error) && error.code === 'PROVIDER_UNAVAILABLE') return null;
    throw error;
  });
  if (!plan || 'refused' in plan) return null;
  const [program = ''] = (plan.build ?? plan).argv;
  return { ...(plan.build ?? plan).sandbox, path: isAbsolute(program) ? [dirname(program)] : [] };
}
