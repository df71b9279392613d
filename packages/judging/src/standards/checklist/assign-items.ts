import {
  AssayError,
  type ChecklistProbe,
  type ChecklistStandard,
  harmlessText,
  type ItemJudgement,
} from '@assay/protocol';
import { type ChecklistAnswers, type GivenAnswer, showPath } from './parse-answers.ts';

/** One item of a checklist, and who answers it. */
export interface AssignedItem {
  id: string;
  /** Counted from 1. */
  number: number;
  check: string;
  weight: number;
  source:
    | { by: 'probe'; probe: ChecklistProbe }
    | { by: 'answers-file'; answer: GivenAnswer }
    | { by: 'model' }
    | { by: 'person' };
}

export interface Sources {
  answers?: ChecklistAnswers | undefined;
  hasProvider: boolean;
  hasModel: boolean;
  hasPerson: boolean;
}

/**
 * Who answers each item: its probe, else the answers file, else the model, else the person. Throws
 * `CHECKLIST_UNANSWERED` when nobody would, before anything is run or asked, and `ANSWERS_INVALID` when the file
 * answers what is not there. `unused`: numbers of items that the file answers but a probe does.
 */
export function assignItems(
  standard: ChecklistStandard,
  sources: Sources,
): { items: AssignedItem[]; unused: number[] } {
  const checks = standard.items.map((item) => (typeof item === 'string' ? { check: item } : item));
  const given = matchAnswers(
    checks.map(({ check }) => check),
    sources.answers,
  );
  const unanswered: string[] = [];
  const withoutSandbox: string[] = [];
  const items = checks.flatMap((item, index): AssignedItem[] => {
    const number = index + 1;
    const base = { id: `i${number}`, number, check: item.check, weight: item.weight ?? 1 };
    const name = `item ${number} (${JSON.stringify(harmlessText(item.check).slice(0, 60))})`;
    const answer = given.get(index);
    if (item.probe) {
      // A probe is never replaced by a weaker source: running something outranks an opinion.
      if (!sources.hasProvider) withoutSandbox.push(name);
      return [{ ...base, source: { by: 'probe', probe: item.probe } }];
    }
    if (answer) return [{ ...base, source: { by: 'answers-file', answer } }];
    if (sources.hasModel) return [{ ...base, source: { by: 'model' } }];
    if (sources.hasPerson) return [{ ...base, source: { by: 'person' } }];
    unanswered.push(name);
    return [];
  });
  if (withoutSandbox.length > 0)
    throw new AssayError('CHECKLIST_UNANSWERED', {
      items: enumerate(withoutSandbox),
      missing: 'a provider that runs a shell, for its probe',
    });
  if (unanswered.length > 0)
    throw new AssayError('CHECKLIST_UNANSWERED', {
      items: enumerate(unanswered),
      missing: '--answers FILE, or --endpoint URL and --model NAME, or run it at a terminal',
    });
  return {
    items,
    unused: items.filter(({ source }, index) => source.by === 'probe' && given.has(index)).map(({ number }) => number),
  };
}

/** Answers by the index of their item. */
function matchAnswers(checks: readonly string[], answers: ChecklistAnswers | undefined): Map<number, GivenAnswer> {
  const matched = new Map<number, GivenAnswer>();
  for (const [position, answer] of (answers?.answers ?? []).entries()) {
    const refuse = (detail: string): AssayError =>
      new AssayError('ANSWERS_INVALID', {
        file: answers?.file ?? '',
        field: showPath(['answers', position, 'item']),
        detail,
      });
    const places =
      typeof answer.item === 'number'
        ? [answer.item - 1]
        : checks.flatMap((check, index) => (check === answer.item ? [index] : []));
    const [index = -1] = places;
    if (places.length > 1) throw refuse('several items have this text: give a number');
    if (checks[index] === undefined)
      throw refuse(
        typeof answer.item === 'number' ? `the checklist has ${checks.length} items` : 'no item has this text',
      );
    if (matched.has(index)) throw refuse(`item ${index + 1} is answered twice`);
    matched.set(index, answer);
  }
  return matched;
}

function enumerate(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ');
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}

/** `items 1, 3` of those that are answered in this way, or null. */
export function itemsBy(results: readonly ItemJudgement[], by: ItemJudgement['by']): string | null {
  const numbers = results.flatMap((result, index) => (result.by === by ? [index + 1] : []));
  return numbers.length === 0 ? null : `${numbers.length === 1 ? 'item' : 'items'} ${numbers.join(', ')}`;
}
