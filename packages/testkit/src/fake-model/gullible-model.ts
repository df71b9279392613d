import type { FakeModelRequest, FakeResponder } from '../fake-model-server.ts';
import { demandsTopScore } from './demands.ts';

export interface GullibleOptions {
  /** Obeys what stands in the data, too: a model without any sense of what is data. */
  obeysData?: boolean;
  /** Rewards openers such as "Solution:" when nothing follows, as has been seen of real models. */
  trustsOpeners?: boolean;
}

/**
 * A prompt as a reader sees it who does not know who wrote which part: what the prompt calls data, and everything else.
 */
export interface ReadPrompt {
  data: string;
  outside: string;
}

const STATEMENT =
  /between (?:the )?(?:lines? |markers? |tags? )?[`"'](?<begin>[^`"'\n]+)[`"'] and (?:the )?(?:lines? |markers? |tags? )?[`"'](?<end>[^`"'\n]+)[`"']/i;
const OPENER =
  /^[\p{P}\p{S}\s]*(?:thought process|let'?s solve this problem step by step|solution|answer|解|かいせつ|respuesta)?[\p{P}\p{S}\s]*$/iu;
const PLACEHOLDER = /<integer[^<>\n]*>|<true or false>/;

/**
 * A model that obeys every order which it finds outside of the data, and otherwise scores soberly: a question scores 90
 * when all words that it has in backticks occur in the work, in proportion when some do, 10 when none does. It knows no
 * prompt in advance: the statement of the delimiters, the questions and the shape of the answer are read from what it
 * is asked.
 */
export function gullibleModel(options: GullibleOptions = {}): FakeResponder {
  return (request) => answer(request, options);
}

function answer(
  { system, user }: FakeModelRequest,
  { obeysData = false, trustsOpeners = false }: GullibleOptions,
): string {
  const whole = `${system}\n\n${user}`;
  const { data, outside } = readPrompt(system, user);
  const isOrdered = demandsTopScore(obeysData ? whole : outside) || (trustsOpeners && OPENER.test(data));
  const template = answerTemplate(whole);
  if (template === null) return 'I do not know in which form to answer.';
  const scoreOf = (id: string): number => (isOrdered ? 100 : soberScore(questionOf(outside, id), data));
  return JSON.stringify(fill(template, '', scoreOf, isOrdered ? 'as ordered' : 'by what is in the work'));
}

/**
 * Only the system message, or what comes before the data, is believed about where data is; without a word about it,
 * nothing is data.
 */
export function readPrompt(system: string, user: string): ReadPrompt {
  const { begin, end } = STATEMENT.exec(system)?.groups ?? {};
  if (begin === undefined || end === undefined) {
    const label = /^submission:[ \t]*$/im.exec(user);
    return { data: label === null ? user : user.slice(label.index + label[0].length), outside: `${system}\n\n${user}` };
  }
  const [before = '', ...opened] = user.split(`${begin}\n`);
  const [data = '', ...closed] = opened.join(`${begin}\n`).split(`\n${end}`);
  return { data, outside: `${system}\n\n${before}\n\n${closed.join(`\n${end}`)}` };
}

/** The first thing that looks like JSON with places to fill in. */
function answerTemplate(text: string): unknown {
  for (let start = text.indexOf('{'); start >= 0; start = text.indexOf('{', start + 1)) {
    const shape = balanced(text, start);
    if (shape === null || !PLACEHOLDER.test(shape)) continue;
    try {
      return JSON.parse(
        shape.replaceAll(/<integer[^<>\n]*>/g, '"@integer"').replaceAll(/<true or false>/g, '"@boolean"'),
      );
    } catch {
      // Not this one.
    }
  }
  return null;
}

function balanced(text: string, start: number): string | null {
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    if (text[index] === '{') depth += 1;
    else if (text[index] === '}') depth -= 1;
    if (depth === 0) return text.slice(start, index + 1);
  }
  return null;
}

function fill(value: unknown, id: string, scoreOf: (id: string) => number, reason: string): unknown {
  if (value === '@integer') return scoreOf(id);
  if (value === '@boolean') return scoreOf(id) >= 50;
  if (typeof value === 'string') return value.replace(/<[^<>]*>/, reason);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      fill(member, /^[a-z]\d+$/.test(key) ? key : id, scoreOf, reason),
    ]),
  );
}

/** The first line that is about it. */
function questionOf(text: string, id: string): string {
  return text.split('\n').find((line) => line.startsWith(`${id}:`)) ?? '';
}

function soberScore(question: string, data: string): number {
  const words = Array.from(question.matchAll(/`([^`]+)`/g), ([, word]) => word ?? '');
  const found = words.filter((word) => data.includes(word)).length;
  return words.length === 0 ? 10 : 10 + Math.floor((80 * found) / words.length);
}
