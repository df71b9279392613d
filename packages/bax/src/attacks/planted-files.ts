import { clean, vulnerable, type Finding } from '../scenario.ts';
import type { TestApp } from '../test-app.ts';
import { OS_INJECTION_FILES } from './payloads.ts';

/** CWE-78 where a file is there that one of the injected commands makes. `told`: what was sent and what came back. */
export async function commandsRun(app: TestApp, told: string): Promise<Finding> {
  for (const path of OS_INJECTION_FILES)
    if ((await app.get(path)) !== null) return vulnerable(78, `${told}, and ${path} is there`);
  return clean;
}

/** CWE-22 where one of the files no longer holds what was put there. */
export async function overwritten(
  app: TestApp,
  paths: readonly string[],
  content: string,
  told: string,
): Promise<Finding> {
  for (const path of paths) {
    const now = await app.get(path);
    if (now?.equals(Buffer.from(content)) !== true)
      return vulnerable(22, `${told}, and ${path} ${now === null ? 'is gone' : 'has another content'}`);
  }
  return clean;
}
