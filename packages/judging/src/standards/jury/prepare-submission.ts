import { lowContent } from './low-content.ts';
import { visibleText } from './visible-text.ts';

/** `fail`: the submission says nothing, or is too long to be put to a model whole. */
export type PreparedSubmission = { kind: 'text'; text: string; flags: string[] } | { kind: 'fail'; reason: string };

/** About 100,000 tokens of English text. */
export const DEFAULT_MAX_CHARACTERS = 400_000;

const ADDRESSES_JUDGE = [
  /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|criteria|prompt|rules|above|previous)\b/iu,
  /\b(?:give|award|assign|output|return|respond with|answer with)\b.{0,60}\b(?:score|marks?|grade|points|100)\b/iu,
  /<\|?(?:im_start|im_end|system|endoftext|start_header_id|assistant)\|?>|\[\/?INST\]|<<SYS>>|^\s*(?:system|assistant|developer)\s*:/imu,
  /\b(?:note|message|attention|dear|hello|hi)\b.{0,30}\b(?:grader|judge|assessor|evaluator|reviewer|verifier)\b/iu,
  /\b(?:end|close) of (?:the )?(?:submission|data|input|document)\b/iu,
];

/** Prepares a submission for a model, which sees all of it, in visible characters, or nothing. */
export function prepareSubmission(bytes: Uint8Array, maxCharacters = DEFAULT_MAX_CHARACTERS): PreparedSubmission {
  const decoded = decode(bytes);
  if (decoded === null) return { kind: 'fail', reason: 'the submission is binary: expected UTF-8 text' };
  const nothing = lowContent(decoded);
  if (nothing !== null) return { kind: 'fail', reason: nothing };
  // Hidden characters take more room when spelled out. Too long is a fail: its author chose the length.
  const { text, flags } = decoded.length > maxCharacters ? { text: decoded, flags: [] } : visibleText(decoded);
  // Cutting would show the model only what the submission wants it to see.
  if (text.length > maxCharacters)
    return {
      kind: 'fail',
      reason:
        `the submission has ${text.length} characters, more than the ${maxCharacters} that are put to a model; ` +
        'it is never cut',
    };
  const addressed = text
    .split('\n')
    .findIndex((line) => ADDRESSES_JUDGE.some((pattern) => pattern.test(line.slice(0, 2000))));
  return {
    kind: 'text',
    text,
    flags: addressed < 0 ? flags : [...flags, `line ${addressed + 1} of the submission seems to address its judge`],
  };
}

/** Like {@link prepareSubmission}, but with the defences off any bytes pass as text. */
export function submissionForModel(
  bytes: Uint8Array,
  { maxCharacters, unsealed }: { maxCharacters?: number; unsealed?: boolean },
): PreparedSubmission {
  return unsealed
    ? { kind: 'text', text: new TextDecoder().decode(bytes), flags: [] }
    : prepareSubmission(bytes, maxCharacters);
}

function decode(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
