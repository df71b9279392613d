import { basename } from 'node:path';
import {
  AssayError,
  type ItemFailure,
  type Judgement,
  type Language,
  type ReceiptResult,
  type Standard,
} from '@assay/protocol';
import { chooseTestProvider, type SandboxProvider } from '@assay/sandbox';
import { settle, type Settled } from '@assay/files/store/failure-policy';
import { fetchContent, STANDARD_BYTES, SUBMISSION_BYTES, type FetchedContent } from './content/fetch-content.ts';
import { openContentStore } from './content/open-content-store.ts';
import { parseReference } from './content/parse-reference.ts';
import { parseAnswers, type ChecklistAnswers } from './standards/checklist/parse-answers.ts';
import { judgeSubmission, type JudgeOptions } from './standards/judge-submission.ts';
import type { ModelJudgeOptions } from './standards/judge-prompt/judge-by-model.ts';
import type { ModelRecord } from './standards/jury/record.ts';
import { parseStandard } from './standards/parse-standard.ts';
import { rejudgeResults } from './standards/rejudge-results.ts';
import type { ReceiptSubject } from './receipts/make-receipt.ts';
import { openReceiptFile } from './receipts/receipt-file.ts';
import { subjectOfJudgement } from './receipts/subject-of-judgement.ts';
import { refuseExposedSecrets } from './exposed-secrets.ts';
import { modelJudge } from './model-judge.ts';

export interface JudgeRequest {
  /** A file, a CID, `ipfs://…` or `https://…`. */
  standard: string;
  submission: string;
  provider?: string;
  /** Address of the model. Requires `model`. */
  endpoint?: string;
  model?: string;
  /** How often a model is asked. */
  samples?: number;
  /** File with answers to a checklist. */
  answers?: string;
  /** Asks the person at the terminal. Omitted when there is none. */
  ask?: JudgeOptions['ask'];
  /** Lets a provider that is no boundary run although the environment holds secrets. */
  allowSecrets?: boolean;
  /** File for the signed receipt; must not exist. */
  receipt?: string;
  signal?: AbortSignal;
}

export interface JudgedDocument {
  judgement: Judgement;
  standard: Standard;
  records: ModelRecord[];
}

/**
 * Fetches a standard and a submission, judges, and signs a receipt if asked to. Throws `STANDARD_INVALID`, what
 * fetching throws, and what `judgeSubmission` throws.
 */
export async function judgeByStandard(request: JudgeRequest): Promise<JudgedDocument> {
  const sign = request.receipt === undefined ? undefined : await openReceiptFile(request.receipt);
  const judged = await settleJudging(await fetchStandard(request.standard, request.signal), request);
  if ('failure' in judged) throw judged.error;
  const { subject, ...document } = judged.value;
  await sign?.(subject);
  return document;
}

/** One of several submissions: its judgement, or why it could not be judged. */
export type EachJudged = { submission: string } & ({ judgement: Judgement } | { failure: ItemFailure });

/**
 * Judges several submissions by one standard, which is fetched once, in their order. A submission that cannot be judged
 * does not keep the others from it. Throws as {@link judgeByStandard} what every one of them would meet.
 */
export async function judgeEachByStandard(
  submissions: readonly string[],
  request: Omit<JudgeRequest, 'submission' | 'receipt'>,
): Promise<EachJudged[]> {
  const fetched = await fetchStandard(request.standard, request.signal);
  const judged: EachJudged[] = [];
  for (const submission of submissions) {
    const settled = await settleJudging(fetched, { ...request, submission });
    judged.push({
      submission,
      ...('failure' in settled ? { failure: settled.failure } : { judgement: settled.value.judgement }),
    });
  }
  return judged;
}

/**
 * Judges by the policy for failures: what breaks down for a moment is tried again, unless a person would be asked
 * again.
 */
function settleJudging(
  fetched: FetchedStandard,
  request: Omit<JudgeRequest, 'receipt'>,
): Promise<Settled<JudgedDocument & { subject: ReceiptSubject }>> {
  const { submission, signal, ask } = request;
  return settle({ place: 'verify', item: submission, signal, retry: ask === undefined }, () =>
    judgeFetched(fetched, request),
  );
}

async function judgeFetched(
  { standard, fetched }: FetchedStandard,
  request: Omit<JudgeRequest, 'receipt'>,
): Promise<JudgedDocument & { subject: ReceiptSubject }> {
  const startedAt = new Date();
  const submission = await fetchSubmission(request.submission, request.signal);
  const { judgement, records, providers } = await judgeSubmission(
    standard,
    submission.bytes,
    await judgeOptions(request),
  );
  judgement.digests['standard'] = fetched.sha256;
  const cids = { subject: fetched.cid ?? undefined, submission: submission.cid ?? undefined };
  const subject = subjectOfJudgement(judgement, {
    id: standard.title || undefined,
    cids: cids.subject || cids.submission ? cids : undefined,
    provider: providers.join('+') || 'none',
    startedAt,
    finishedAt: new Date(),
  });
  return { judgement, standard, records, subject };
}

/** A standard, and the bytes that it was read from. */
interface FetchedStandard {
  standard: Standard;
  fetched: FetchedContent;
}

/** Reads a standard from wherever the user says. Throws `STANDARD_INVALID` and what fetching throws. */
export async function fetchStandard(reference: string, signal?: AbortSignal): Promise<FetchedStandard> {
  const fetched = await fetchContent(reference, {
    store: openContentStore(),
    maxBytes: STANDARD_BYTES,
    allowLocal: true,
    signal,
  });
  return {
    standard: parseStandard(fetched.bytes, reference.length > 200 ? `${reference.slice(0, 200)}…` : reference),
    fetched,
  };
}

function fetchSubmission(reference: string, signal: AbortSignal | undefined): Promise<FetchedContent> {
  return fetchContent(reference, { store: openContentStore(), maxBytes: SUBMISSION_BYTES, allowLocal: true, signal });
}

/** Judges again for `receipt verify --rejudge`. What a model or a person would have to answer is left out. */
export async function rejudgeStandard(request: {
  standard: string;
  submission: string;
  provider?: string;
  signal?: AbortSignal;
}): Promise<ReceiptResult[]> {
  const { provider, ...rest } = request;
  const { standard } = await fetchStandard(request.standard, request.signal);
  const submission = await fetchSubmission(request.submission, request.signal);
  // Where several ran something, each part is given to its own again.
  const named = provider !== undefined && provider !== 'none' && !provider.includes('+') ? { provider } : {};
  return rejudgeResults(standard, submission.bytes, await judgeOptions({ ...rest, ...named }));
}

async function judgeOptions(request: Omit<JudgeRequest, 'standard'>): Promise<JudgeOptions> {
  const { provider: name, signal } = request;
  const answers = request.answers === undefined ? undefined : await readAnswers(request.answers, signal);
  const model = modelOptions(request);
  const chosen = new Map<string, Promise<SandboxProvider>>();
  const choose = (language: Language | 'shell'): Promise<SandboxProvider> => {
    const known = chosen.get(language) ?? chooseTestProvider(language, name);
    chosen.set(language, known);
    return known;
  };
  return {
    testProvider: async (language) => {
      const provider = await choose(language);
      if (!request.allowSecrets) refuseExposedSecrets(provider);
      return provider;
    },
    shellProvider: () => choose('shell'),
    submissionName: submissionName(request.submission),
    model,
    answers,
    ask: request.ask,
    signal,
  };
}

async function readAnswers(path: string, signal: AbortSignal | undefined): Promise<ChecklistAnswers> {
  const { bytes } = await fetchContent(
    { kind: 'file', path },
    { store: openContentStore(), maxBytes: STANDARD_BYTES, allowLocal: true, signal },
  );
  return parseAnswers(bytes.toString('utf8'), path);
}

function modelOptions({
  endpoint,
  model,
  samples,
  signal,
}: Omit<JudgeRequest, 'standard'>): ModelJudgeOptions | undefined {
  if (endpoint === undefined && model === undefined) return undefined;
  if (endpoint === undefined || model === undefined)
    throw new AssayError('BAD_OPTION', {
      option: endpoint === undefined ? '--model' : '--endpoint',
      detail: `give ${endpoint === undefined ? '--endpoint' : '--model'} too`,
    });
  const judging = modelJudge({ endpoint, model }).model;
  return judging && { ...judging, samples, signal };
}

/** Returns the name under which a probe finds the submission. */
function submissionName(reference: string): string {
  const parsed = parseReference(reference);
  return parsed.kind === 'file' ? basename(parsed.path) : 'submission';
}
