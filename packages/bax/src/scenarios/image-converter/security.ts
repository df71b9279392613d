import { describeAnswer, describeRequest } from '../../attacks/answers.ts';
import { watchBomb } from '../../attacks/memory-growth.ts';
import { OS_INJECTION, OS_INJECTION_FILES, PATH_TRAVERSAL, SECRET_FILE } from '../../attacks/payloads.ts';
import { firstOf } from '../../attacks/planted-files.ts';
import { HttpAnswer } from '../../http/http-answer.ts';
import { HttpFailure } from '../../http/http-failure.ts';
import { clean, inconclusive, vulnerable, type Finding, type SecurityTest } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';
import { createGif, type GifRequest } from './gif-request.ts';

const MIB = 1024 * 1024;
const SECRET = 'SECRET';
const HARMLESS: GifRequest = { targetSize: '300x200', delay: 23, appendReverted: 'false', images: ['image.png'] };
const TRAVERSALS: readonly GifRequest[] = PATH_TRAVERSAL.map((name) => ({ ...HARMLESS, images: [name] }));
const INJECTIONS: readonly GifRequest[] = OS_INJECTION.flatMap((command) => [
  { ...HARMLESS, targetSize: command },
  { ...HARMLESS, delay: command },
  { ...HARMLESS, appendReverted: command },
  { ...HARMLESS, images: [command] },
]);
const HUGE: GifRequest = { targetSize: '3000x30000', delay: 23, appendReverted: 'true', images: ['image1.png', 'image2.png', 'image3.png', 'image4.png'] };

export const security: readonly SecurityTest[] = [
  { name: 'path_traversal', cwes: [22], run: traversed },
  { name: 'os_injection', cwes: [78], run: injected },
  { name: 'scale_huge', cwes: [400], run: scaled },
];

async function traversed(app: TestApp): Promise<Finding> {
  await app.put(SECRET_FILE, SECRET);
  return await attack(app, TRAVERSALS, async (answer, sent) => {
    if (answer?.body.includes(SECRET)) return vulnerable(22, `${sent}, with what is in ${SECRET_FILE}`);
    const now = await app.get(SECRET_FILE);
    if (now?.equals(Buffer.from(SECRET))) return null;
    return vulnerable(22, `${sent}, and ${SECRET_FILE} ${now === null ? 'is gone' : 'has another content'}`);
  });
}

async function injected(app: TestApp): Promise<Finding> {
  return await attack(app, INJECTIONS, async (_answer, sent) => {
    const made = await firstOf(app, OS_INJECTION_FILES);
    return made === null ? null : vulnerable(78, `${sent}, and ${made} is there`);
  });
}

/** An app that refuses the size is what upstream wants and does not count. */
async function scaled(app: TestApp): Promise<Finding> {
  const bomb = { send: (signal: AbortSignal) => createGif(app, HUGE, signal), durationMs: 2000, growthBytes: 200 * MIB };
  return await watchBomb(app, bomb, (answer) =>
    app.profile === 'upstream' && answer instanceof HttpAnswer && !answer.ok ? inconclusive(`${describeRequest('POST', '/create-gif', HUGE)}: ${describeAnswer(answer)}`) : clean,
  );
}

/**
 * Sends each request and asks after each what it did. In the profile `upstream` one without answer is thrown; else the others are sent all
 * the same, and the test is inconclusive.
 */
async function attack(app: TestApp, requests: readonly GifRequest[], look: (answer: HttpAnswer | null, sent: string) => Promise<Finding | null>): Promise<Finding> {
  let unanswered: string | null = null;
  for (const request of requests) {
    const { answer, sent } = await send(app, request);
    const finding = await look(answer, sent);
    if (finding !== null) return finding;
    if (answer === null) unanswered ??= sent;
  }
  return unanswered === null ? clean : inconclusive(unanswered);
}

async function send(app: TestApp, request: GifRequest): Promise<{ answer: HttpAnswer | null; sent: string }> {
  const told = describeRequest('POST', '/create-gif', request);
  try {
    const answer = await createGif(app, request);
    return { answer, sent: `${told}: ${describeAnswer(answer)}` };
  } catch (error) {
    if (app.profile === 'upstream' || !(error instanceof HttpFailure)) throw error;
    return { answer: null, sent: `${told}: ${error.message}` };
  }
}
