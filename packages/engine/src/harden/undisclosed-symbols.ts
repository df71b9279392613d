import { addedRuns, decodeText, normaliseLine, splitLines } from './added-lines.ts';
import { readRegularFileBelow } from '@assay/files/read-regular-file';
import type { Ecosystem } from '../ecosystems/ecosystem.ts';
import type { Definition, DefinitionKind, SourceFacet } from '../ecosystems/source-facet.ts';
import { joinedStrings, type SourceToken } from '../ecosystems/source-tokens.ts';
import { expectedTexts } from './expected-texts.ts';
import { importAlike, importSources } from './import-sources.ts';
import type { T0Tokens } from './t0-tokens.ts';
import { signatureOf } from './signature-of.ts';
import type { ChangeSet } from '@assay/files/change-set';

/** A demand of the hidden tests that nobody can know from T0 and the instruction alone. */
export interface Undisclosed {
  kind: 'name' | 'literal' | 'message';
  text: string;
  /** `path:line` of the first demand. */
  where: string;
  /** `path:line` of every demand of it. */
  everywhere: string[];
  /** How the reference declares the name, such as `parse(text, *, strict=False)`; absent when it is no function. */
  signature?: string;
}

type Demand = Omit<Undisclosed, 'everywhere'>;

export interface DisclosureRequest {
  reference: ChangeSet;
  tests: ChangeSet;
  /** The tree before the change. No link in it is followed. */
  t0Directory: string;
  t0Tokens: T0Tokens;
  instruction: string;
  ecosystem: Pick<Ecosystem, 'codeFiles' | 'source'>;
}

/** Minimum length of equal literals; shorter ones say nothing. */
const MIN_LITERAL = 4;
/** Minimum length of a part of a sentence that is recognised within another. */
const MIN_PART = 10;

/**
 * Finds names, literals and messages that added lines of the tests demand, that added lines of the reference introduce,
 * and that neither T0 nor the instruction mentions. Anything that only the tests use, as an input or a name of their
 * own, is not a demand.
 */
export function undisclosedSymbols(request: DisclosureRequest): Undisclosed[] {
  const reference = addedSource(request.reference, request);
  const tests = addedSource(request.tests, request);
  const told = (text: string): boolean =>
    squeeze(request.instruction).includes(squeeze(text)) || request.t0Tokens.holds(text);
  const known = new Set(request.instruction.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []);
  const isTold = (name: string): boolean => known.has(name) || request.t0Tokens.has(name);

  const found = new Map<string, Undisclosed>();
  for (const demand of [
    ...undisclosedNames(reference, tests, isTold, request),
    ...undisclosedTexts(reference, tests, told, request.ecosystem.source),
  ]) {
    const key = `${demand.kind === 'name'}:${demand.text}`;
    const known = found.get(key);
    if (!known) found.set(key, { ...demand, everywhere: [demand.where] });
    else if (!known.everywhere.includes(demand.where)) known.everywhere.push(demand.where);
  }
  return [...found.values()];
}

interface AddedSource {
  path: string;
  /** All tokens of the new file. */
  tokens: SourceToken[];
  added: ReadonlySet<number>;
  isNew: boolean;
}

function addedSource(change: ChangeSet, { t0Directory, ecosystem }: DisclosureRequest): AddedSource[] {
  const sources: AddedSource[] = [];
  for (const file of change.files) {
    const text = ecosystem.codeFiles.test(file.path) ? decodeText(file.content) : null;
    if (text === null) continue;
    const before = readRegularFileBelow(t0Directory, file.path);
    const old = before === null ? null : decodeText(before);
    sources.push({
      path: file.path,
      tokens: ecosystem.source.tokens(text),
      added: addedLineNumbers(old, text),
      isNew: before === null,
    });
  }
  return sources;
}

function addedLineNumbers(before: string | null, after: string): Set<number> {
  const numbers = new Set<number>();
  const lines = splitLines(after);
  if (before === null) return new Set(lines.map((_, index) => index + 1));
  let at = 0;
  for (const run of addedRuns(before, after)) {
    const start = findRun(lines, run.lines, at);
    run.lines.forEach((_, offset) => numbers.add(start + offset + 1));
    at = start + run.lines.length;
  }
  return numbers;
}

function findRun(lines: string[], run: string[], from: number): number {
  for (let start = from; start + run.length <= lines.length; start += 1)
    if (run.every((line, offset) => lines[start + offset] === line)) return start;
  return from;
}

/** `text`: a string that reads like a name, such as the key of a dictionary. */
type Source = DefinitionKind | 'text';

const REACHES: Record<Use['as'], ReadonlySet<Source>> = {
  member: new Set(['global', 'member', 'text']),
  import: new Set(['global', 'member', 'import']),
  keyword: new Set(['parameter', 'member', 'text']),
  bare: new Set(['global', 'member', 'import']),
  text: new Set(['global', 'member']),
};

function* undisclosedNames(
  reference: AddedSource[],
  tests: AddedSource[],
  isTold: (name: string) => boolean,
  { ecosystem: { source: language } }: DisclosureRequest,
): Generator<Demand> {
  const defined = new Map<string, Set<Source>>();
  const signatures = new Map<string, string>();
  const define = (name: string, kind: Source): void =>
    void (defined.get(name) ?? defined.set(name, new Set()).get(name))?.add(kind);
  for (const source of reference) {
    for (const definition of language.definitions(source.tokens)) {
      const { name, kind, line } = definition;
      if (!source.added.has(line)) continue;
      define(name, kind);
      const signature = signatureOf(source.tokens, definition);
      if (signature !== null && !signatures.has(name)) signatures.set(name, signature);
    }
    for (const token of source.tokens)
      if (token.kind === 'string' && source.added.has(token.line) && /^[A-Za-z_$][\w$]*$/.test(token.text))
        define(token.text, 'text');
    if (source.isNew) define(moduleName(source.path), 'global');
  }
  const imported = reference.map(({ tokens }) => importSources(tokens));
  for (const source of tests) {
    const own = new Set(
      language
        .definitions(source.tokens)
        .filter((definition) => isOwn(definition))
        .map(({ name }) => name),
    );
    const imports = importSources(source.tokens);
    for (const use of uses(source, own, language)) {
      const kinds = [...(defined.get(use.name) ?? [])].filter((kind) => REACHES[use.as].has(kind));
      if (kinds.length === 0 || isTold(use.name)) continue;
      const isOnlyImported = kinds.every((kind) => kind === 'import');
      if (isOnlyImported && imported.some((each) => importAlike(use.name, imports, each))) continue;
      const where = `${source.path}:${use.line}`;
      yield { kind: 'name', text: use.name, where, signature: signatures.get(use.name) };
    }
  }
}

function isOwn({ kind }: Definition): boolean {
  return kind !== 'import';
}

function moduleName(path: string): string {
  const parts = path.replace(/\.\w+$/, '').split('/');
  const last = parts.at(-1) ?? '';
  return last === '__init__' || last === 'index' ? (parts.at(-2) ?? last) : last;
}

interface Use {
  name: string;
  as: 'member' | 'import' | 'keyword' | 'bare' | 'text';
  line: number;
}

/** Lists the names that added lines of a test use without defining them. */
function* uses({ tokens, added }: AddedSource, own: ReadonlySet<string>, language: SourceFacet): Generator<Use> {
  let importing = -1;
  for (const [index, token] of tokens.entries()) {
    const previous = tokens[index - 1]?.text ?? '';
    const next = tokens[index + 1]?.text ?? '';
    if (token.kind === 'name' && (token.text === 'import' || token.text === 'from')) importing = token.line;
    if (!added.has(token.line)) continue;
    if (token.kind === 'string')
      yield* namesInString(
        token,
        importing === token.line || previous === 'require' || tokens[index - 2]?.text === 'require',
      );
    if (token.kind !== 'name') continue;
    const { text: name, line } = token;
    const assigns = next === '=' && (previous === '.' || token.indent >= 0);
    if (importing === line || (importing >= 0 && line - importing < 30 && isImportList(tokens, index)))
      yield { name, as: 'import', line };
    else if (isUnpacked(tokens, index)) yield { name, as: 'member', line };
    else if (previous === '.' || previous === '?.') {
      if (!assigns) yield { name, as: 'member', line };
    } else if (/^[(,{]$/.test(previous) && next === language.keywordSign) yield { name, as: 'keyword', line };
    else if (!own.has(name)) yield { name, as: 'bare', line };
  }
}

/** `mock.patch("pkg.module.name")`, `require('../lib/name')`, `getattr(x, "name")`. */
function* namesInString(token: SourceToken, isModule: boolean): Generator<Use> {
  if (!/^[@\w$./-]+$/.test(token.text) || token.text.length > 200) return;
  const name = isModule
    ? moduleName(/\.\w+$/.test(token.text) ? token.text : `${token.text}.js`)
    : (token.text.split(/[./]/).at(-1) ?? '');
  if (name.length > 2) yield { name, as: isModule ? 'import' : 'text', line: token.line };
}

/** `const { name } = require('./it')`, `const { name: own } = it`. */
function isUnpacked(tokens: readonly SourceToken[], index: number): boolean {
  if (!/^[{,]$/.test(tokens[index - 1]?.text ?? '') || !/^[,}:=]$/.test(tokens[index + 1]?.text ?? '')) return false;
  let at = index - 1;
  while (at > 0 && index - at < 60 && tokens[at]?.text !== '{') at -= 1;
  return /^(?:const|let|var)$/.test(tokens[at - 1]?.text ?? '');
}

/** Whether a token is inside the braces or parentheses of an import statement that spans several lines. */
function isImportList(tokens: readonly SourceToken[], index: number): boolean {
  for (let at = index - 1; at >= 0 && at > index - 120; at -= 1) {
    const text = tokens[at]?.text ?? '';
    if (text === '(' || text === '{')
      return (
        tokens[at - 1]?.text === 'import' || (tokens[at - 1]?.kind === 'name' && tokens[at - 2]?.text === 'import')
      );
    if (text !== ',' && text !== 'as' && text !== 'type' && tokens[at]?.kind !== 'name') return false;
  }
  return false;
}

function* undisclosedTexts(
  reference: AddedSource[],
  tests: AddedSource[],
  told: (text: string) => boolean,
  facet: SourceFacet,
): Generator<Demand> {
  const brought: Text[] = [];
  for (const source of reference) {
    for (const token of joinedStrings(source.tokens)) {
      if (!spans(source, token)) continue;
      for (const part of facet.fixedParts(token)) if (/[A-Za-z]{2}/.test(part)) brought.push(asText(part));
    }
  }
  for (const source of tests) {
    for (const { text, line, isMessage } of expectedTexts(source.tokens, source.added, facet)) {
      const shared = firstShared(brought, asText(text), told);
      if (shared !== null)
        yield {
          kind: isMessage || /\w \w/.test(shared) ? 'message' : 'literal',
          text: shared,
          where: `${source.path}:${line}`,
        };
    }
  }
}

interface Text {
  plain: string;
  squeezed: string;
}

function asText(text: string): Text {
  return { plain: normaliseLine(text), squeezed: squeeze(text) };
}

/** Whether a string is new, at least in part. */
function spans({ added }: AddedSource, token: SourceToken): boolean {
  const lines = token.text.split('\n').length;
  for (let line = token.line; line < token.line + lines; line += 1) if (added.has(line)) return true;
  return false;
}

/**
 * Returns the first text that a test shares with the reference, if it is too long for chance and nobody was told; null
 * if there is none.
 */
function firstShared(brought: readonly Text[], wanted: Text, told: (text: string) => boolean): string | null {
  for (const text of brought) {
    const shared = sharedText(text, wanted);
    if (shared !== null && !told(shared)) return shared;
  }
  return null;
}

function sharedText(brought: Text, wanted: Text): string | null {
  if (brought.plain.length < MIN_LITERAL || wanted.plain.length < MIN_LITERAL) return null;
  if (brought.squeezed === wanted.squeezed) return wanted.plain;
  const [short, long] = brought.plain.length < wanted.plain.length ? [brought, wanted] : [wanted, brought];
  return short.plain.length >= MIN_PART && /\w[\s,:;-]+\w/.test(short.plain) && long.squeezed.includes(short.squeezed)
    ? short.plain
    : null;
}

function squeeze(text: string): string {
  return text.replace(/[\s\\"'`]+/g, '');
}
