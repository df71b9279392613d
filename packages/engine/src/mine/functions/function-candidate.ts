import { z } from 'zod';
import type { FunctionFacet, SourceFunction } from '../../ecosystems/function-facet.ts';
import { ECOSYSTEMS } from '../../ecosystems/index.ts';
import { fileAt } from '../../git/file-at.ts';
import type { Repository } from '../../git/repository.ts';
import { candidateOfChange } from '../candidate-of-change.ts';
import { Rejection, type Candidate } from '../candidate.ts';

/** A function at a commit. */
export const FunctionData = z.object({ base: z.string(), path: z.string(), name: z.string() });
export type FunctionData = z.infer<typeof FunctionData>;

/** A function in its source. */
export interface PlacedFunction {
  path: string;
  text: string;
  found: SourceFunction;
  facet: FunctionFacet;
}

/** Makes a candidate whose T0 lacks the body of a function, and whose reference brings it back. */
export async function functionCandidate(
  repository: Repository,
  data: FunctionData,
): Promise<Candidate & { hidden: { files: []; deleted: [] } }> {
  const content = await fileAt(repository, data.base, data.path);
  const { path, text, found } = placeFunction(data, content?.toString('utf8') ?? '');
  const file = (after: string): Candidate['reference'] => ({
    files: [{ path, content: Buffer.from(after), executable: false }],
    deleted: [],
  });
  const candidate = await candidateOfChange(
    repository,
    { base: data.base, removed: file(withBody(text, found, found.stub)), change: file(text) },
    { message: `Write the body of \`${found.name}\` in ${path}` },
  );
  return { ...candidate, hidden: { files: [], deleted: [] } };
}

/** Finds a function again in its source. Throws `missing_objects` where it is not. */
export function placeFunction({ path, name }: Pick<FunctionData, 'path' | 'name'>, text: string): PlacedFunction {
  const facet = ECOSYSTEMS.find(({ codeFiles, functions }) => functions && codeFiles.test(path))?.functions;
  const found = facet?.list(path, text, true).find((each) => each.name === name);
  if (!facet || !found) throw new Rejection('missing_objects', `${path} has no function ${name}`);
  return { path, text, found, facet };
}

/** A source with another body of a function. */
export const withBody = (text: string, { body }: SourceFunction, other: string): string =>
  `${text.slice(0, body.start)}${other}${text.slice(body.end)}`;
