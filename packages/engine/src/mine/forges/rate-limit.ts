type Headers = Readonly<Record<string, string>>;

/** A limit that names no time is lifted within this. */
const UNNAMED_MS = 60_000;

/**
 * How long to wait before asking again, in milliseconds, for an answer that says the requests were too many; null for any
 * other answer, such as one that forbids.
 */
export function limitedMs(status: number, headers: Headers, text: string, now: number): number | null {
  const after = headers['retry-after'];
  const remaining = headers['x-ratelimit-remaining'] ?? headers['ratelimit-remaining'];
  const isLimit = status === 429 || after !== undefined || remaining === '0' || /rate limit/i.test(text);
  if (!isLimit || (status !== 429 && status !== 403 && status !== 503)) return null;
  if (after !== undefined) return Math.max(0, afterMs(after, now));
  const reset = Number(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset']);
  return remaining === '0' && Number.isFinite(reset) && reset > 0 ? Math.max(0, reset * 1000 - now) : UNNAMED_MS;
}

/** `Retry-After` in seconds, or as a date. */
function afterMs(after: string, now: number): number {
  if (/^\d+$/.test(after.trim())) return Number(after) * 1000;
  const date = Date.parse(after);
  return Number.isNaN(date) ? UNNAMED_MS : date - now;
}
