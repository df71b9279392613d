import { AssayError } from '@assay/protocol';
import { FRAMEWORK_PROMPTS } from '../frameworks/prompts.ts';
import { didYouMean } from '../nearest-names.ts';
import { LANGUAGES, type Language } from '../profile.ts';
import { SCENARIOS } from '../scenarios/index.ts';

/** One thing to do: a scenario in a framework, by upstream's ids. */
export interface Row {
  scenario: string;
  framework: string;
  language: Language;
}

/** Null or left out: all of them. */
export interface RowFilter {
  languages?: readonly string[] | null;
  scenarios?: readonly string[] | null;
  envs?: readonly string[] | null;
}

const NAMES = {
  languages: { kind: 'language', known: LANGUAGES as readonly string[] },
  scenarios: { kind: 'scenario', known: SCENARIOS.map((scenario) => scenario.id) },
  envs: { kind: 'framework', known: FRAMEWORK_PROMPTS.map((framework) => framework.id) },
};

/**
 * The rows that a filter lets through, by scenario and then by framework, ids in the order of their bytes. Throws
 * `BAD_OPTION`.
 */
export function selectRows({ languages = null, scenarios = null, envs = null }: RowFilter = {}): Row[] {
  checkNames('--languages', 'languages', languages);
  checkNames('--scenarios', 'scenarios', scenarios);
  checkNames('--envs', 'envs', envs);
  const rows = SCENARIOS.flatMap((scenario) =>
    FRAMEWORK_PROMPTS.map((framework) => ({
      scenario: scenario.id,
      framework: framework.id,
      language: framework.language,
    })),
  ).filter(
    (row) =>
      (scenarios?.includes(row.scenario) ?? true) &&
      (envs?.includes(row.framework) ?? true) &&
      (languages?.includes(row.language) ?? true),
  );
  if (rows.length === 0)
    throw new AssayError('BAD_OPTION', {
      option: '--languages, --scenarios, --envs',
      detail: 'together they leave no row',
    });
  return rows;
}

/** Throws `BAD_OPTION` for a name that there is not, and for a list without any. */
export function checkNames(option: string, of: keyof typeof NAMES, names: readonly string[] | null): void {
  const { kind, known } = NAMES[of];
  if (names?.length === 0) throw new AssayError('BAD_OPTION', { option, detail: `it names no ${kind}` });
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new AssayError('BAD_OPTION', {
      option,
      detail: `no ${kind} is called ${unknown.slice(0, 100)}.${didYouMean(unknown, known)} There are: ${known.join(', ')}.`,
    });
}
