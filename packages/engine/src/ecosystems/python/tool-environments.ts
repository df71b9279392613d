import { addGroup, addLines } from './dependency-groups.ts';
import { parseIni, type Ini } from './parse-ini.ts';
import { isTable, toolTable, type PythonManifests } from './read-manifests.ts';
import { addLine, type RequirementsFile } from './read-requirements.ts';

/** Names of environments, sessions and factors that run tests. */
const FOR_TESTS = /^(?:unit-?)?(?:tests?|unit|pytest|py3?|py3\d*)(?:[-_](?:unit|tests?|all|coverage|cov))?$/;

type AddFile = (path: string) => Promise<void>;

/** Adds what tox installs for tests: `deps`, `extras` and groups of `[testenv]` and of environments named for tests. */
export async function addTox(manifests: PythonManifests, into: RequirementsFile, addFile: AddFile): Promise<void> {
  const { pyproject, setupCfg } = manifests;
  const legacy = toolTable(pyproject, 'tox')['legacy_tox_ini'];
  const ini = typeof legacy === 'string' ? parseIni(legacy) : manifests.tox;
  for (const section of [...toxSections(ini), setupCfg.get('tox:testenv')]) {
    for (const line of (section?.get('deps') ?? '').split('\n')) await addToxLine(line, into, addFile);
    for (const extra of (section?.get('extras') ?? '').split(/[\s,]+/)) addExtra(extra, into);
    for (const group of (section?.get('dependency_groups') ?? '').split(/[\s,]+/))
      if (group !== '') addGroup(pyproject['dependency-groups'] ?? {}, group, into, new Set());
  }
  const tables = [toolTable(pyproject, 'tox', 'env_run_base')];
  for (const [name, table] of Object.entries(toolTable(pyproject, 'tox', 'env')))
    if (isTable(table) && FOR_TESTS.test(name)) tables.push(table);
  for (const table of tables) {
    for (const name of strings(table['dependency_groups']))
      addGroup(pyproject['dependency-groups'] ?? {}, name, into, new Set());
    for (const extra of strings(table['extras'])) addExtra(extra, into);
    addLines(table['deps'], into);
  }
}

function toxSections(ini: Ini): Map<string, string>[] {
  return [...ini].filter(([name]) => name === 'testenv' || isForTests(name)).map(([, section]) => section);
}

/** `[testenv:unit]`, `[testenv:py{39,310}]`. */
function isForTests(section: string): boolean {
  const name = /^testenv:(.*)$/.exec(section)?.[1];
  return name !== undefined && FOR_TESTS.test(name.replace(/\{[^}]*\}/g, ''));
}

/** Ignores lines for other environments (`py37: …`, `docs: …`). */
async function addToxLine(raw: string, into: RequirementsFile, addFile: AddFile): Promise<void> {
  const factors = /^([\w!,-]+):\s+/.exec(raw);
  if (factors && !(factors[1] ?? '').split(',').some((each) => /^(?:tests?|unit|!\w+)$/.test(each))) return;
  const line = raw
    .slice(factors?.[0].length ?? 0)
    .replaceAll('{toxinidir}/', '')
    .replaceAll('{tox_root}/', '')
    .trim();
  if (line === '' || line.includes('{')) return;
  const file = /^-r\s*(\S+)$/.exec(line)?.[1];
  if (file === undefined) addLine(into, line);
  else if (isInside(file)) await addFile(file);
}

const MAX_NOXFILE = 64 * 1024;
/** A function with its body. */
const SESSION = /^(?:async )?def (\w+)\(([^]*?)(?=^(?:@|def |async def |if )|(?![^]))/gm;
const CALL = /\.(install|run_install|run)\(([^()]*(?:\([^()]*\)[^()]*)*)\)/g;

/** Adds what the sessions of a noxfile that are named for tests install. The file is read, and never run. */
export async function addNox(
  noxfile: string,
  { pyproject }: PythonManifests,
  into: RequirementsFile,
  addFile: AddFile,
): Promise<void> {
  const target = { into, addFile, groups: pyproject['dependency-groups'] ?? {} };
  for (const [, name = '', body = ''] of noxfile.slice(0, MAX_NOXFILE).matchAll(SESSION)) {
    if (!/test|unit/.test(name)) continue;
    for (const [, method, words = ''] of body.matchAll(CALL))
      await addNoxWords(textsOf(words), { ...target, areRequirements: method === 'install' });
  }
}

interface Target {
  into: RequirementsFile;
  addFile: AddFile;
  groups: Record<string, unknown[]>;
  /** Whether words that are no flags are requirements; else they are a program and its arguments. */
  areRequirements: boolean;
}

const VALUED = /^(?:-r|--requirement|-e|--editable|-c|--constraint|--group|--with|-G|--extra|-E|--extras|--python|-p)$/;

async function addNoxWords(words: string[], { into, addFile, groups, areRequirements }: Target): Promise<void> {
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const [flag = '', inline] = word.split(/=(.*)/s, 2);
    const isValued = VALUED.test(flag);
    const value = isValued ? (inline ?? words[(index += 1)] ?? '') : '';
    if (/^(?:-r|--requirement)$/.test(flag) && isInside(value)) await addFile(value);
    else if (/^(?:--group|--with|-G)$/.test(flag)) addGroup(groups, value, into, new Set());
    else if (/^(?:--extra|-E|--extras)$/.test(flag)) for (const each of value.split(',')) addExtra(each.trim(), into);
    else if (/^(?:-e|--editable)$/.test(flag)) addLine(into, `-e ${value}`);
    else if (areRequirements && !isValued && !word.startsWith('-')) addLine(into, word);
  }
}

/** The texts among a call's words; a text with a placeholder is none. */
function textsOf(words: string): string[] {
  return [...words.matchAll(/(?<![\w])([fr]?)(["'])((?:(?!\2)[^\\\n]|\\.)*)\2/g)]
    .filter(([, prefix = '', , text = '']) => !(prefix.includes('f') && text.includes('{')))
    .map(([, , , text = '']) => text);
}

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

const isInside = (path: string): boolean => path !== '' && !path.startsWith('/') && !path.includes('..');

function addExtra(extra: string, into: RequirementsFile): void {
  if (/^[\w.-]+$/.test(extra)) into.projectExtras.push(extra);
}
