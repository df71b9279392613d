import { AssayError } from '@assay/protocol';
import { allowsSeries } from './allows-series.ts';
import { PYTHON_RELEASES } from './python-releases.ts';
import { toolTable, type PythonManifests } from './read-manifests.ts';
import type { PythonInterpreter } from './find-interpreters.ts';

/** Projects and their dependencies seldom run on a series in its first weeks. */
const SETTLING_DAYS = 60;

/** Interpreter that the manifests of T0 ask for. */
export interface InterpreterWish {
  /** `requires-python` or one of its predecessors; empty when there is none. */
  requires: string;
  /** Minor versions named by classifiers or tox. */
  named: number[];
}

export function interpreterWish(manifests: PythonManifests): InterpreterWish {
  const { pyproject, setupCfg, setupPy, tox } = manifests;
  const poetry = toolTable(pyproject, 'poetry', 'dependencies')['python'];
  const flit = toolTable(pyproject, 'flit', 'metadata')['requires-python'];
  const requires =
    pyproject.project?.['requires-python'] ??
    text(poetry) ??
    text(flit) ??
    setupCfg.get('options')?.get('python_requires') ??
    /python_requires\s*=\s*(['"])(.*?)\1/.exec(setupPy)?.[2] ??
    '';
  const classifiers = [
    ...(pyproject.project?.classifiers ?? []),
    setupCfg.get('metadata')?.get('classifiers') ?? setupCfg.get('metadata')?.get('classifier') ?? '',
    setupPy,
  ].join('\n');
  const named = new Set<number>();
  for (const match of classifiers.matchAll(/Python :: 3\.(\d+)/g)) named.add(Number(match[1]));
  for (const key of ['envlist', 'env_list'])
    for (const minor of envlistMinors(tox.get('tox')?.get(key) ?? '')) named.add(minor);
  const toxTable = toolTable(pyproject, 'tox')['env_list'];
  if (Array.isArray(toxTable)) for (const minor of envlistMinors(toxTable.join(','))) named.add(minor);
  return { requires, named: [...named].filter((minor) => minor > 3).sort((a, b) => a - b) };
}

/**
 * Chooses the installed interpreter that fits a tree best: the newest series that the manifests name and that had
 * settled at T0; else the newest settled one that they allow; else the nearest allowed one. Throws
 * `INTERPRETER_MISSING`.
 */
export function chooseInterpreter(installed: PythonInterpreter[], wish: InterpreterWish, t0: Date): PythonInterpreter {
  const settled = new Set(
    PYTHON_RELEASES.filter(({ released }) => Date.parse(released) + SETTLING_DAYS * 86_400_000 <= t0.getTime()).map(
      ({ minor }) => minor,
    ),
  );
  const allowed = installed.filter(({ minor }) => allowsSeries(wish.requires, minor));
  const newestNamed = wish.named.at(-1);
  const rank = ({ minor }: PythonInterpreter): number => {
    if (!settled.has(minor)) return 3_000 + minor;
    if (wish.named.includes(minor)) return 100 - minor;
    // Beyond the newest named series, the nearest is the most likely to work.
    if (newestNamed !== undefined && minor > newestNamed) return 2_000 + minor;
    return 1_100 - minor;
  };
  const best = allowed.toSorted((a, b) => rank(a) - rank(b) || b.patch - a.patch)[0];
  if (best) return best;
  const wanted = [
    wish.requires || '3',
    wish.named.length > 0 ? `(names 3.${wish.named.join(', 3.')})` : '',
    `at ${t0.toISOString().slice(0, 10)}`,
  ]
    .filter(Boolean)
    .join(' ');
  throw new AssayError('INTERPRETER_MISSING', { language: 'Python', wanted });
}

function envlistMinors(envlist: string): number[] {
  // tox expands braces: `py{38,37}`, `py3{12,11}`, `py{310,py3}-{a,b}`.
  const spread = envlist.replace(/(\w*)\{([^}]*)\}/g, (_, before: string, inner: string) =>
    inner
      .split(',')
      .map((part) => `${before}${part.trim()}`)
      .join(','),
  );
  return [...spread.matchAll(/(?<![A-Za-z])py3\.?(\d{1,2})\b/g)].map((match) => Number(match[1]));
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
