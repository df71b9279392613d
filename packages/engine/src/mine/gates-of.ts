import { readRegularFileBelow } from '@assay/files/read-regular-file';
import { quotesGold, type ScrubContext } from '../harden/scrub-instruction.ts';
import { codeNames, type ChangeWords } from '../harden/tells-patch.ts';
import { readT0Tokens } from '../harden/t0-tokens.ts';
import type { Built } from './2-build.ts';
import type { Candidate, SourceText } from './candidate.ts';
import type { Gates } from './compose-statement.ts';

/** Makes the gates that texts of a candidate pass before they stand in its instruction. */
export async function gatesOf(
  candidate: Candidate,
  built: Pick<Built, 't0Directory' | 'projectNames'>,
  texts: readonly SourceText[],
): Promise<Gates> {
  const { reference } = candidate;
  return {
    context: contextOf(candidate, built),
    words: await changeWords(candidate, built, texts),
    quotes: (text) => quotesGold(text, reference, (path) => readRegularFileBelow(built.t0Directory, path)).length > 0,
  };
}

/** The names of a change. For given texts, the tree of T0 is read only when one holds a name that nothing else accounts for. */
export async function changeWords(
  { referenceDiff, hidden }: Pick<Candidate, 'referenceDiff' | 'hidden'>,
  { t0Directory }: Pick<Built, 't0Directory'>,
  texts: readonly SourceText[] | null,
): Promise<ChangeWords> {
  const namesIn = (lines: string[]): Set<string> => new Set(lines.join('\n').match(/[A-Za-z_$][\w$]*/g));
  const lines = referenceDiff.split('\n');
  const added = namesIn(lines.filter((line) => /^\+(?!\+\+ )/.test(line)));
  const before = namesIn(lines.filter((line) => /^[ -](?!-- )/.test(line)));
  const variables = new Set(
    lines.flatMap((line) => /^[+-][ \t]+(?:(?:const|let|var) )?([A-Za-z_$][\w$]*) = /.exec(line)?.slice(1) ?? []),
  );
  const tested = namesIn(hidden.files.map(({ content }) => content.toString('utf8')));
  const open =
    texts === null ||
    texts
      .flatMap(({ text }) => codeNames(text))
      .some((name) => added.has(name) && !before.has(name) && !tested.has(name));
  const t0 = open ? await readT0Tokens(t0Directory) : null;
  const news = squeeze(lines.filter((line) => /^\+(?!\s*(?:#|\/[/*]|\*|>>>|\.\.\.))/.test(line)).join('\n'));
  const olds = squeeze(
    [
      ...lines.filter((line) => !line.startsWith('+')),
      ...hidden.files.map(({ content }) => content.toString('utf8')),
    ].join('\n'),
  );
  return {
    added,
    beside: before,
    variables,
    tested,
    brings: (code) => news.includes(squeeze(code)) && !olds.includes(squeeze(code)),
    known: (name) => before.has(name) || t0 === null || t0.has(name),
  };
}

const squeeze = (text: string): string => text.replace(/\s+/g, '');

function contextOf(candidate: Candidate, { projectNames }: Pick<Built, 'projectNames'>): ScrubContext {
  const { identifiers, reference } = candidate;
  return {
    projectNames,
    knownTestNames: testNames(candidate),
    publicNames: publicNames(candidate),
    goldLines: addedLines(candidate),
    advisory: identifiers && {
      identifiers,
      sourcePaths: [...reference.files.map(({ path }) => path), ...reference.deleted],
    },
  };
}

function addedLines({ referenceDiff }: Candidate): string[] {
  return referenceDiff
    .split('\n')
    .filter((line) => line.startsWith('+') && !line.startsWith('+++'))
    .map((line) => line.slice(1).trim())
    .filter((line) => line.length >= 12);
}

/** Lists the names that hidden tests call or decorate with. */
function publicNames({ hidden, ecosystem }: Pick<Candidate, 'hidden' | 'ecosystem'>): ReadonlySet<string> {
  const code = hidden.files
    .filter(({ path }) => ecosystem.codeFiles.test(path))
    .map(({ content }) => content.toString('utf8'))
    .join('\n');
  const found = code.matchAll(/(?<![\w$])([A-Za-z_$][\w$]*)(?=\()|(?<=^[ \t]*@(?:\w+\.)*)([A-Za-z_]\w*)/gm);
  return new Set([...found].map(([name]) => name));
}

/**
 * Lists the paths of the hidden files and the names and titles in them, so that messages can be cleared of them; not
 * titles that the subject of the message consists of, which describe behaviour in the same words.
 */
export function testNames({
  hidden,
  ecosystem,
  message = '',
}: Pick<Candidate, 'hidden' | 'ecosystem'> & Partial<Pick<Candidate, 'message'>>): string[] {
  const [subject = ''] = message.trimStart().split('\n', 1);
  const titles = hidden.files
    .filter(({ path }) => ecosystem.codeFiles.test(path))
    .flatMap(({ content }) => ecosystem.tests.titles(content.toString('utf8')))
    .filter((title) => !(/\s/.test(title) && subject.includes(title) && title.length > subject.length / 2));
  return [...new Set([...hidden.files.map(({ path }) => path), ...titles])];
}
