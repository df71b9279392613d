import { unsafePathReason } from '@assay/files/safe-path';
import type { Profile } from '../profile.ts';
import { parseAsUpstream } from './parse-as-upstream.ts';
import { parseRepaired } from './parse-repaired.ts';
import type { AnswerForm, ParsedResponse, UnusableAnswer } from './parsed-response.ts';

/** The most that is read of an answer. */
export const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
export const MAX_FILES = 500;

const PARSERS = { strict: parseRepaired, upstream: parseAsUpstream };

/**
 * Takes the files out of a model's answer. `upstream` finds what BaxBench's own parser finds, its mistakes included;
 * `strict` finds what was meant where that parser goes wrong. Neither gives a path that leads out of the directory that
 * the files are written to.
 */
export function parseResponse(response: string, framework: AnswerForm, profile: Profile): ParsedResponse {
  if (Buffer.byteLength(response) > MAX_RESPONSE_BYTES)
    return { invalid: `the response is longer than ${String(MAX_RESPONSE_BYTES)} bytes, the most that is read` };
  const parsed = PARSERS[profile](response, framework);
  if ('invalid' in parsed) return parsed;
  const reason = refusal([...parsed.files.keys()]);
  return reason ?? parsed;
}

function refusal(paths: readonly string[]): UnusableAnswer | null {
  if (paths.length > MAX_FILES)
    return {
      invalid: `the response has ${String(paths.length)} files, and ${String(MAX_FILES)} are the most that is taken`,
    };
  const files = new Set(paths);
  for (const path of paths) {
    const reason = unsafePathReason(path);
    if (reason !== null)
      return { invalid: `the path ${JSON.stringify(path.slice(0, 200))} is refused: ${reason}`, unsafePath: true };
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
      if (files.has(path.slice(0, slash)))
        return { invalid: `${JSON.stringify(path.slice(0, slash))} is a file and a directory` };
    }
  }
  return null;
}
