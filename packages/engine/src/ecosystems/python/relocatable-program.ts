import { createHash } from 'node:crypto';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { prepareLayer } from '@assay/files/store/prepare-layer';
import type { PythonInterpreter } from './find-interpreters.ts';

const RELATIVE = '$ORIGIN/../lib';

/**
 * Returns the program of an interpreter in a form that finds its shared library wherever both are mounted. A program
 * built with `--enable-shared` names the directory of its library by an absolute host path; a copy gets a path relative
 * to the program instead.
 */
export async function relocatableProgram(
  { executable, prefix }: PythonInterpreter,
  cacheDirectory: string,
): Promise<string> {
  const program = await readFile(executable);
  const absolute = Buffer.from(`\0${prefix}/lib\0`);
  if (prefix === '/usr' || program.indexOf(absolute) === -1 || absolute.length < RELATIVE.length + 2) return executable;
  const key = createHash('sha256').update(executable).update(program).digest('hex').slice(0, 32);
  const layer = await prepareLayer(cacheDirectory, `python-program-${key}`, async (draft) => {
    const relative = Buffer.alloc(absolute.length);
    relative.write(RELATIVE, 1);
    for (let at = program.indexOf(absolute); at !== -1; at = program.indexOf(absolute, at)) relative.copy(program, at);
    await writeFile(join(draft, 'python'), program);
    await chmod(join(draft, 'python'), 0o755);
  });
  return join(layer, 'python');
}
