import { TestCommand } from '@assay/protocol';
import { listTree } from '../tree-files.ts';
import { classifyPythonPath } from './classify-python-path.ts';

const DEPTH = 4;

/**
 * Returns pytest for every tree that has tests which it collects; it runs unittest tests too. `pytest.ini` and the like
 * stay in force by themselves, so no arguments are taken from them.
 */
export async function pythonTestCommand(tree: string): Promise<TestCommand | null> {
  return (await hasTests(tree, '', DEPTH)) ? TestCommand.parse({ ecosystem: 'python', runner: 'pytest' }) : null;
}

async function hasTests(tree: string, directory: string, depth: number): Promise<boolean> {
  const entries = await listTree(tree, directory);
  const deeper: string[] = [];
  for (const entry of entries) {
    const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
    if (
      entry.isFile() &&
      entry.name.endsWith('.py') &&
      entry.name !== 'conftest.py' &&
      classifyPythonPath(path) === 'test'
    )
      return true;
    if (entry.isDirectory() && depth > 0 && classifyPythonPath(`${path}/x.py`) !== 'other') deeper.push(path);
  }
  for (const path of deeper) if (await hasTests(tree, path, depth - 1)) return true;
  return false;
}
