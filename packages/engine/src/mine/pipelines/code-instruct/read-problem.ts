import type { ChatModel } from '@assay/lanes/models/chat-model';
import { fileAt } from '../../../git/file-at.ts';
import type { Repository } from '../../../git/repository.ts';
import { candidateOfChange } from '../../candidate-of-change.ts';
import type { Candidate } from '../../candidate.ts';
import { placeFunction, withBody, type FunctionData } from '../../functions/function-candidate.ts';
import { toldBy, withParagraphs } from '../../statement.ts';
import { exampleOf } from '../../write-regression-test.ts';
import { writeProblem } from './write-problem.ts';

/** Makes a candidate of a problem that a model writes around a function: T0 has a stub of the new one, so that its place is known. */
export async function readProblem(
  repository: Repository,
  data: FunctionData,
  { model, signal }: { model: ChatModel; signal?: AbortSignal },
): Promise<Candidate> {
  const { base, path } = data;
  const text = (await fileAt(repository, base, path))?.toString('utf8') ?? '';
  const anchor = placeFunction(data, text);
  const file = (after: string): Candidate['reference']['files'][number] => ({
    path,
    content: Buffer.from(after),
    executable: false,
  });
  const change = { files: [file(text)], deleted: [] };
  const bare = await candidateOfChange(repository, { base, change }, { message: data.name });
  const example = await exampleOf(bare, repository);
  const problem = await writeProblem({ anchor, candidate: bare, example, model, signal });
  const { source, found, tests, title, body } = problem;
  const { facet } = anchor;
  const place = `\`${found.signature}\` stands in \`${path}\` without a body: every call ${facet.raiseWord}s \`${facet.stubError}\`.`;
  const candidate = await candidateOfChange(
    repository,
    {
      base,
      removed: { files: [file(withBody(source, found, found.stub))], deleted: [] },
      change: {
        files: [file(source), { path: tests.path, content: Buffer.from(tests.text), executable: false }],
        deleted: [],
      },
    },
    { message: `${title}\n\n${body}`, byModel: ['statement', 'tests', 'reference'] },
  );
  return { ...candidate, stated: withParagraphs(toldBy('model', title, body), 'code', place) };
}
