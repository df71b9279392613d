import { AssayError, Standard, type TestCasesStandard } from '@assay/protocol';
import { toTagged } from '@assay/sandbox';
import { hasDuplicateKeys } from './jury/duplicate-keys.ts';

/** Number of problems to list. Further ones are counted. */
const MOST_PROBLEMS = 5;

/** Deepest nesting of arrays and objects. The checks recurse, and a stack is finite. */
const DEEPEST = 500;

/** A standard, or what is wrong with the document, each with its place: `cases[2].input: expected an array`. */
export type StandardCheck =
  | { standard: Standard; problems?: never }
  | { standard?: never; problems: [string, ...string[]] };

/**
 * Reads an evaluation document. Throws `STANDARD_INVALID`, which names each place in the document and what was expected
 * there: no JSON, a key twice, an unknown type, a wrong field, weight, count or range, a malformed tagged value.
 */
export function parseStandard(bytes: Uint8Array, name: string): Standard {
  const { standard, problems } = checkStandard(bytes);
  if (standard) return standard;
  const shown = problems.slice(0, MOST_PROBLEMS);
  if (problems.length > shown.length) shown.push(`and ${problems.length - shown.length} more`);
  throw new AssayError('STANDARD_INVALID', { name, detail: shown.join('; ') });
}

/** Like {@link parseStandard}, but returns all problems. */
export function checkStandard(bytes: Uint8Array): StandardCheck {
  const text = decode(bytes);
  if (text === null) return { problems: ['it is no UTF-8 text'] };
  if (nestsDeeper(text, DEEPEST)) return { problems: [`it nests deeper than ${DEEPEST} levels`] };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return {
      problems: [`it is no JSON: ${error instanceof Error ? error.message.slice(0, 200) : 'it does not parse'}`],
    };
  }
  if (hasDuplicateKeys(text)) return { problems: ['an object has a key twice, and readers differ on which counts'] };
  const parsed = Standard.safeParse(json);
  const problems = parsed.success
    ? valueProblems(parsed.data, [])
    : parsed.error.issues.map((issue) => `${showPath(issue.path)}: ${issue.message}`);
  const [first, ...others] = problems;
  if (first !== undefined) return { problems: [first, ...others] };
  return parsed.success ? { standard: parsed.data } : { problems: ['it does not fit the schema'] };
}

/** Returns whether arrays and objects nest deeper than `most` in a text that may not be JSON. */
function nestsDeeper(text: string, most: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (inString && character === '\\') index += 1;
    else if (character === '"') inString = !inString;
    else if (!inString && (character === '{' || character === '[') && (depth += 1) > most) return true;
    else if (!inString && (character === '}' || character === ']')) depth -= 1;
  }
  return false;
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Lists problems of values that the schema accepts as unknown. */
function valueProblems(standard: Standard, path: PropertyKey[]): string[] {
  if (standard.type === 'composite') {
    return standard.children.flatMap((child, index) =>
      valueProblems(child.standard, [...path, 'children', index, 'standard']),
    );
  }
  return standard.type === 'test_cases'
    ? standard.cases.flatMap((entry, index) => caseProblems(entry, [...path, 'cases', index]))
    : [];
}

function caseProblems(entry: TestCasesStandard['cases'][number], path: PropertyKey[]): string[] {
  return (['input', 'expected'] as const).flatMap((key) => {
    try {
      toTagged(entry[key]);
      return [];
    } catch (error) {
      return [`${showPath([...path, key])}: ${error instanceof Error ? error.message : 'no value'}`];
    }
  });
}

/** `cases[2].input`; the document itself is `document`. */
function showPath(path: readonly PropertyKey[]): string {
  const shown = path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
  return shown === '' ? 'document' : shown;
}
