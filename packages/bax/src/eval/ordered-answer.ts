import { digestEntries, sha256 } from '@assay/files/content-digest';
import { AssayError, type GradeOrder } from '@assay/protocol';
import type { Framework } from '../framework.ts';
import type { Answer } from '../grade/grade-answer.ts';
import { filesOfResponse } from '../grade/read-answer.ts';
import type { Profile } from '../profile.ts';
import { readStoredCode, readStoredResponse } from '../results/stored-sample.ts';

type Place = Omit<GradeOrder['answer'], 'digest'>;
interface ReadAs {
  framework: Framework;
  profile: Profile;
}

/** Adds the digest of the answer that lies there now. Throws `ANSWER_UNREADABLE`. */
export async function orderAnswer(place: Place, as: ReadAs): Promise<GradeOrder['answer']> {
  return { ...place, digest: digestAnswer(await readAnswer(place, as)) };
}

/** What an order says besides its answer's digest. */
export interface ToOrder {
  item: string;
  scenario: { id: string };
  framework: Framework;
  profile: Profile;
  provider: string;
  place: Place;
  /** Directory that gets the grade. */
  out: string;
}

/** Orders the grade of the answer that lies there now. Throws `ANSWER_UNREADABLE`. */
export async function orderGrade(order: ToOrder): Promise<GradeOrder> {
  const { item, scenario, framework, profile, provider, place, out } = order;
  return {
    version: 1,
    kind: 'grade',
    id: item,
    scenario: scenario.id,
    framework: framework.id,
    profile,
    answer: await orderAnswer(place, { framework, profile }),
    provider,
    out,
  };
}

/** Reads the answer of an order. Throws `ANSWER_UNREADABLE`, also when another answer lies there by now. */
export async function readOrdered({ answer: ordered, profile }: GradeOrder, framework: Framework): Promise<Answer> {
  const answer = await readAnswer(ordered, { framework, profile });
  if (digestAnswer(answer) !== ordered.digest)
    throw new AssayError('ANSWER_UNREADABLE', { path: ordered.path, detail: 'it has changed since it was ordered' });
  return answer;
}

async function readAnswer({ form, path }: Place, { framework, profile }: ReadAs): Promise<Answer> {
  if (form === 'response') {
    const response = await readStoredResponse(path);
    if (response === null)
      throw new AssayError('ANSWER_UNREADABLE', { path, detail: 'it is no regular file, too long, or not there' });
    return filesOfResponse(response, framework, profile);
  }
  // An answer that is too large to be read is one that fails.
  return await readStoredCode(path).catch((error: unknown) => {
    if (!AssayError.is(error) || error.kind !== 'agent') throw error;
    return { invalid: error.message };
  });
}

function digestAnswer(answer: Answer): string {
  if ('invalid' in answer) return `sha256:${sha256(answer.invalid)}`;
  return digestEntries(Object.entries(answer.files).map(([path, content]) => [path, sha256(content)]));
}
