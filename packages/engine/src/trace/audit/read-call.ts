import type { TrajectoryToolCall, Place } from '@assay/protocol';
import type { Act } from './act.ts';
import { patchedPaths } from './patched-paths.ts';
import { readShell } from './read-shell.ts';

const COMMANDS = ['command', 'cmd', 'script', 'commandLine'];
const PATHS = ['file_path', 'path', 'filePath', 'absolute_path', 'dir_path', 'notebook_path', 'filename', 'directory'];
const CONTENTS = ['content', 'new_string', 'newString', 'new_str', 'edits', 'new_source', 'file_text', 'new', 'diff'];
const PATCHES = ['input', 'patch', 'patchText', 'diff'];
const ADDRESSES = ['url', 'query', 'prompt'];

/**
 * Reads the acts in a tool call. Goes by the arguments of the call, because every agent has other names for its tools.
 */
export function readCall({ function_name: name, arguments: given }: TrajectoryToolCall, place: Place): Act[] {
  const texts = (keys: readonly string[]): string[] =>
    keys.map((key) => given[key]).filter((value) => typeof value === 'string');
  const acts: Act[] = [];
  for (const key of COMMANDS) acts.push(...readScript(given[key], place));
  const kind = CONTENTS.some((key) => given[key] !== undefined) ? 'write' : 'path';
  for (const text of texts(PATHS)) acts.push({ kind, text, place });
  for (const patch of texts(PATCHES)) for (const text of patchedPaths(patch)) acts.push({ kind: 'write', text, place });
  if (/web|fetch|search|browse/i.test(name) && !/file|grep|glob/i.test(name))
    for (const text of texts(ADDRESSES)) acts.push({ kind: 'command', name: 'web', text: `web ${text}`, place });
  return acts;
}

/** A shell script, or the words of a command such as `["bash", "-lc", "…"]`. */
function readScript(script: unknown, place: Place): Act[] {
  if (typeof script === 'string') return readShell(script, place);
  if (!Array.isArray(script)) return [];
  const words = script.filter((word) => typeof word === 'string');
  const quoted = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`);
  return readShell(quoted.join(' '), place);
}
