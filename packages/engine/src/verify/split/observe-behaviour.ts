import { AssayError } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import { ecosystemOf } from '../../ecosystems/index.ts';
import type { SourceText, Telling, ToldProbe } from '../../ecosystems/split-facet.ts';
import { runAsWritten } from './as-written.ts';
import type { BakeRequest } from './bake-split.ts';
import { tell, told, type OracleBox } from './run-tool.ts';
import { fixFiles } from './source-texts.ts';
import { observe } from './verify-split.ts';

/** One thing that a test of the fix asks: what the reference answers, and what T0 does instead. */
export type Behaviour = Telling & ToldProbe;

const NOTHING: ChangeSet = { files: [], deleted: [] };

/**
 * Observes what the tests of the fix ask for, as far as it can be said in a line each: every expression is run by
 * itself, with the reference and at T0, and kept only where the first is what its test expects and the second is not.
 * Empty where the runner's tests cannot be taken apart.
 */
export async function observeBehaviour(request: BakeRequest): Promise<Behaviour[]> {
  try {
    return await observeAll(request);
  } catch (error) {
    if (AssayError.is(error) && error.code === 'SPLIT_TOOL_FAILED') return [];
    throw error;
  }
}

async function observeAll(request: BakeRequest): Promise<Behaviour[]> {
  const { command, environment, expected, provider, signal } = request;
  const { split: facet } = ecosystemOf(command.ecosystem);
  const files = fixFiles(request);
  if (!facet?.runners.includes(command.runner) || facet.refusal(environment) !== null || files.length === 0) return [];
  request.progress?.('behaviour');
  const box: OracleBox = { facet, environment, provider, signal };
  const { results } = await runAsWritten(
    request,
    files.map(({ path }) => path),
  );
  const ids = [...results.keys()];
  const probes = await tell(box, { runner: command.runner, files, ids, wanted: expected.failToPass });
  if (probes.tellings.length === 0) return [];
  const reference = await probe(request, probes.files, request.reference);
  const before = await probe(request, probes.files, NOTHING);
  const answers = new Map(
    (await told(box, { tellings: probes.tellings, reference, before })).told.map((each) => [each.probe, each]),
  );
  return probes.tellings.flatMap((telling) => {
    const answer = answers.get(telling.probe);
    return answer ? [{ ...telling, ...answer }] : [];
  });
}

/** Runs files of probes over a submission, in the place of the hidden ones, and returns what they observed. */
async function probe(request: BakeRequest, probes: SourceText[], submission: ChangeSet): Promise<string> {
  const texts = new Map(probes.map(({ path, text }) => [path, text]));
  const { tests } = ecosystemOf(request.command.ecosystem);
  const stripped: ChangeSet = {
    files: request.hidden.files.flatMap((file) => {
      const text = texts.get(file.path);
      if (text !== undefined) return [{ ...file, content: Buffer.from(text) }];
      return tests.isTestFile(file.path) ? [] : [file];
    }),
    deleted: request.hidden.deleted,
  };
  const split = { plan: { files: [...texts.keys()] }, stripped };
  const { observed } = await observe({ ...request, unsealed: new Set(), split }, submission);
  return observed ?? '';
}
