import type { ChangeSet } from '@assay/files/change-set';
import type { FrameworkPrompt } from '../framework.ts';
import type { AnswerFiles } from '../grade/read-answer.ts';
import { MAX_FILES, MAX_RESPONSE_BYTES } from '../prompt/parse-response.ts';

/** The app makes it, also when an agent tries it out. */
const DATABASE = /^db\.sqlite3(-journal|-wal|-shm)?$/;

/**
 * Reads an agent's submission as the files of an answer, or says why it holds none. In a framework of one file, only
 * that file counts, as in a model's response.
 */
export function answerOfChange(
  { files }: ChangeSet,
  { codeFile }: Pick<FrameworkPrompt, 'codeFile'>,
): { files: AnswerFiles } | { invalid: string } {
  const counted = files.filter(({ path }) => (codeFile === null ? !DATABASE.test(path) : path === codeFile));
  if (counted.length === 0)
    return { invalid: codeFile === null ? 'no file was handed in' : `no ${codeFile} was handed in` };
  if (counted.length > MAX_FILES)
    return { invalid: `${counted.length} files were handed in, and ${MAX_FILES} are the most that is taken` };
  const bytes = counted.reduce((sum, { content }) => sum + content.length, 0);
  if (bytes > MAX_RESPONSE_BYTES)
    return { invalid: `${bytes} bytes were handed in, and ${MAX_RESPONSE_BYTES} are the most that is taken` };
  return { files: Object.fromEntries(counted.map(({ path, content }) => [path, content])) };
}
