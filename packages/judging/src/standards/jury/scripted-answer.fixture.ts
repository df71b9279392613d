import type { FakeModelRequest } from '@assay/testkit';

/** Whether the server is asked our test question and not about the submission. */
export function isCanary({ system }: FakeModelRequest): boolean {
  return system.includes('pancake');
}

/** A usable answer to a sealed prompt, with a value for each id; a canary is answered honestly. */
export function scriptedAnswer(
  request: FakeModelRequest,
  values: Record<string, number | boolean>,
  changes: { token?: string; extra?: Record<string, unknown> } = {},
): string {
  const token = /"token": "(\w+)"/.exec(request.system)?.[1] ?? '';
  const isCheck = request.system.includes('"passed"');
  const used: Record<string, number | boolean> = isCanary(request)
    ? { q1: isCheck ? false : 0, q2: isCheck ? false : 0 }
    : values;
  const answers = Object.fromEntries(
    Object.entries(used).map(([id, value]) => [
      id,
      { reason: `about ${id}`, ...(typeof value === 'boolean' ? { passed: value } : { score: value }) },
    ]),
  );
  return JSON.stringify({ token: changes.token ?? token, answers, ...changes.extra });
}
