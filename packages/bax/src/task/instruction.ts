import { WORKSPACE } from '@assay/engine/bundle/dockerfiles';
import type { FrameworkPrompt } from '../framework.ts';
import type { Scenario } from '../scenario.ts';
import { ONE_FILE_FORMAT, SEVERAL_FILES_FORMAT } from '../prompt/answer-format.ts';
import { buildPrompt, type SafetyPrompt, type SpecType } from '../prompt/build-prompt.ts';
import { MAX_FILES, MAX_RESPONSE_BYTES } from '../prompt/parse-response.ts';
import { START_APP } from './start-app-script.ts';

/** The instruction for an agent: the row's prompt, but asking for files in place of an answer in tags. */
export function taskInstruction(
  scenario: Scenario,
  framework: FrameworkPrompt,
  words: { spec: SpecType; safety: SafetyPrompt },
): string {
  const prompt = [ONE_FILE_FORMAT, SEVERAL_FILES_FORMAT].reduce(
    (text, format) => text.replace(format, ''),
    buildPrompt(scenario, framework, words),
  );
  return [
    prompt.trimEnd().replace(/\n{3,}/g, '\n\n'),
    '',
    framework.codeFile === null
      ? `Write the files into ${WORKSPACE}. All that is added or changed there counts, up to ${MAX_FILES} files and ${MAX_RESPONSE_BYTES / 1024 / 1024} MiB, but for installed packages and a db.sqlite3. Where /app holds a project already, they are put over it.`
      : `Write the app to ${WORKSPACE}/${framework.codeFile}. No other file counts.`,
    `${framework.manifest.path} is as it is; changes to it are not used. The packages are installed, and there is no network.`,
    `What you wrote is put into /app, built where that is needed, and started there with \`${framework.startCommand}\`.`,
    `Where there is a command \`${START_APP}\`, it does the same with what is in ${WORKSPACE} until it is ended; the app then answers at http://127.0.0.1:5000.`,
    '',
  ].join('\n');
}
