import { listTree, readTreeText } from '../tree-files.ts';
import { classifyPythonPath } from './classify-python-path.ts';

const IMPORT = /^[ \t]*(?:import|from)[ \t]+(?:pkg_resources|setuptools)\b/m;
const DEPTH = 8;

/**
 * Whether code or tests of a tree import setuptools. Before Python 3.12 every virtual environment held it, so projects
 * used it without asking for it.
 */
export async function importsSetuptools(tree: string, directory = '', depth = DEPTH): Promise<boolean> {
  const deeper: string[] = [];
  for (const entry of await listTree(tree, directory === '' ? '.' : directory)) {
    const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
    if (entry.isDirectory() && classifyPythonPath(`${path}/x.py`) !== 'other') deeper.push(path);
    else if (
      entry.isFile() &&
      path.endsWith('.py') &&
      classifyPythonPath(path) !== 'other' &&
      IMPORT.test((await readTreeText(tree, path)) ?? '')
    )
      return true;
  }
  if (depth > 0) for (const path of deeper) if (await importsSetuptools(tree, path, depth - 1)) return true;
  return false;
}
