import { toolTable, type PythonManifests } from './read-manifests.ts';

/** Normalises a name as PEP 503 says. */
export function normalizeName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[-_.]+/g, '-');
}

/** Lists the names under which manifests publish a project, as they are spelled there. */
export function declaredNames(manifests: PythonManifests): string[] {
  const { pyproject, setupCfg, setupPy } = manifests;
  const flit = toolTable(pyproject, 'flit', 'metadata');
  const candidates = [
    pyproject.project?.name,
    toolTable(pyproject, 'poetry')['name'],
    flit['dist-name'] ?? flit['module'],
    setupCfg.get('metadata')?.get('name'),
    ...[...setupPy.matchAll(/\bname\s*=\s*(['"])([\w.-]+)\1/g)].map((match) => match[2]),
    /^[ \t]*(?:NAME|PACKAGE_NAME|name)[ \t]*=[ \t]*(['"])([\w.-]+)\1/m.exec(setupPy)?.[2],
  ];
  return candidates.filter((name): name is string => typeof name === 'string' && /^[A-Za-z0-9][\w.-]*$/.test(name));
}
