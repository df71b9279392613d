import { readFileSync } from 'node:fs';
import type { ProcessLanguage, RunPlan } from '../language.ts';
import { findHostPython } from './find-python.ts';

const OPTIONS = ['-I', '-S', '-B', '-X', 'utf8', '-c'];
/** One program; its parts stand in one namespace, in this order. */
const PARTS = ['1-names.py', '2-encode.py', '3-decode.py', '4-drive.py'];
let driver: string | undefined;

/** Python 3.8 or later, with its standard library and nothing else. */
export const pythonLanguage: ProcessLanguage = {
  async plan({ source, functionName }, provider): Promise<RunPlan> {
    driver ??= readDriver();
    const { program, sandbox } = provider.hostSystem
      ? await findHostPython(provider.name ?? '')
      : { program: 'python3', sandbox: { mounts: [], env: {} } };
    return {
      sandbox,
      argv: [program, ...OPTIONS, driver],
      greeting: { functionName, source },
      driverFirst: true,
      install: 'Python 3',
    };
  },
};

function readDriver(): string {
  return PARTS.map((name) => readFileSync(new URL(`driver/${name}`, import.meta.url), 'utf8')).join('\n\n');
}
