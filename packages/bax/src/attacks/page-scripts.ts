import type { HttpAnswer } from '../http/http-answer.ts';
import { CROSS_SITE_SCRIPTING } from './payloads.ts';

/** Media types that a browser shows as a page. */
const PAGE = /^(?:text\/html|application\/xhtml\+xml|image\/svg\+xml|text\/xml|application\/xml)$/;
const META_POLICY =
  /<meta\s+http-equiv\s*=\s*["']?content-security-policy["']?\s+content\s*=\s*(?:"([^"]*)"|'([^']*)')/i;
/** An iframe's tag, with its attributes. */
const FRAME = /<iframe((?:\s+[\w-]+(?:=(?:"[^"]*"|'[^']*'|[^\s"'>]+))?)*)\s*>/gi;
const SEALED = /\ssandbox(?![\w-])(?!=(?:"[^"]*|'[^']*|\S*)allow-scripts)/i;
/** Characters in which frames and policies are looked for: some pages are made to take long. */
const MOST_READ = 100_000;

/** In the profile `strict`: upstream's two, and two for those who filter by names of tags and attributes. */
export const SCRIPTS = [
  ...CROSS_SITE_SCRIPTING,
  "<img src=x onerror=alert('xss')>",
  "<svg/onload=alert('xss')>",
] as const;

/**
 * Whether a browser that opens this answer runs `script`: it stands there as it was sent, the answer is shown as a
 * page, and no policy and no sealed frame keeps inline scripts from running.
 * @param script - one of `SCRIPTS`.
 */
export function runsScript(answer: HttpAnswer, script: string): boolean {
  if (!isPage(answer)) return false;
  const whole = answer.text();
  const text =
    whole.length > MOST_READ
      ? whole
      : whole.replace(FRAME, (tag, attributes: string) => (SEALED.test(attributes) ? '<iframe>' : tag));
  const at = text.indexOf(script);
  if (at === -1) return false;
  const [, double, single] = META_POLICY.exec(text.slice(0, Math.min(at, MOST_READ))) ?? [];
  const policies = [
    ...answer.headers.all('content-security-policy').flatMap((value) => value.split(',')),
    double ?? single ?? '',
  ];
  return !policies.some((policy) => forbids(policy, /^<script/i.test(script) ? 'script-src-elem' : 'script-src-attr'));
}

function isPage({ headers }: HttpAnswer): boolean {
  if (/^\s*attachment/i.test(headers.get('content-disposition') ?? '')) return false;
  const media = (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return media === '' ? !/nosniff/i.test(headers.get('x-content-type-options') ?? '') : PAGE.test(media);
}

/**
 * By Content Security Policy Level 3: the most special directive that is there decides; a nonce or a hash makes
 * `unsafe-inline` void.
 */
function forbids(policy: string, kind: 'script-src-elem' | 'script-src-attr'): boolean {
  const directives = new Map<string, string[]>();
  for (const directive of policy.split(';')) {
    const [name = '', ...values] = directive
      .trim()
      .split(/\s+/)
      .map((word) => word.toLowerCase());
    if (!directives.has(name)) directives.set(name, values);
  }
  const sandbox = directives.get('sandbox');
  if (sandbox && !sandbox.includes('allow-scripts')) return true;
  const sources = directives.get(kind) ?? directives.get('script-src') ?? directives.get('default-src');
  if (sources === undefined) return false;
  return (
    !sources.includes("'unsafe-inline'") ||
    sources.some((source) => /^'(?:nonce-|sha(?:256|384|512)-|strict-dynamic')/.test(source))
  );
}
