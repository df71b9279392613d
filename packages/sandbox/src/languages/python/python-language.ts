import { readFileSync } from 'node:fs';
import type { ProcessLanguage, RunPlan } from '../language.ts';
import { findHostPython } from './find-python.ts';

const OPTIONS = ['-I', '-S', '-B', '-X', 'utf8', '-c'];
let driver: string | undefined;

/** Python 3.8 or later, with its standard library and nothing else. */
export const pythonLanguage: ProcessLanguage = {
  async plan({ source, functionName }, provider): Promise<RunPlan> {
    driver ??= readFileSync(new URL('driver.py', import.meta.url), 'utf8');
    const { program, sandbox } = provider.hostSystem ? await findHostPython(provider.name ?? '') : { program: 'python3', sandbox: { mounts: [], env: {} } };
    return { sandbox, argv: [program, ...OPTIONS, driver], greeting: { functionName, source }, driverFirst: true, install: 'Python 3' };
  },
};
