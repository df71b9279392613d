import { AssayError } from '@assay/protocol';
import { z } from 'zod';
import { repositoryKey } from './repository-key.ts';

/** Of one record as JSON: the largest that are published are far below. */
export const MAX_RECORD_BYTES = 4 * 1024 * 1024;
const MAX_DEPTH = 40;

const list = <Item extends z.ZodType>(item: Item, most: number) =>
  z
    .array(item)
    .max(most)
    .nullish()
    .transform((items) => items ?? []);
const Id = z.string().regex(/^[A-Za-z0-9][\w.:-]{0,127}$/, 'is no id of an advisory');
const Version = z.string().max(200);

const Event = z.object({
  introduced: Version.optional(),
  fixed: Version.optional(),
  last_affected: Version.optional(),
  limit: Version.optional(),
});
const Range = z
  .object({ type: z.string().max(40), repo: z.string().max(2048).nullish(), events: list(Event, 2000) })
  .superRefine((range, context) => {
    if (range.type !== 'GIT') return;
    const fail = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
    if (repositoryKey(range.repo ?? '') === null) fail('repo', 'is no address of a repository');
    for (const event of range.events)
      for (const value of Object.values(event))
        if (value !== undefined && !/^(?:0|[0-9a-f]{7,40}|[0-9a-f]{64})$/i.test(value))
          fail('events', 'holds what is no commit');
  });

/** One vulnerability in the OSV format, schema 1.x: what is used of it. */
const OsvRecord = z.object({
  schema_version: z.string().regex(/^1\./, 'is no schema that Assay knows').nullish(),
  id: Id,
  aliases: list(Id, 500),
  withdrawn: z.string().max(100).nullish(),
  summary: z.string().max(10_000).nullish(),
  details: z
    .string()
    .max(1024 * 1024)
    .nullish(),
  affected: list(
    z.object({
      package: z.object({ ecosystem: z.string().max(100), name: z.string().max(300) }).nullish(),
      ranges: list(Range, 500),
    }),
    5000,
  ),
  references: list(z.object({ type: z.string().max(40), url: z.string().max(4096) }), 5000),
  credits: list(z.object({ name: z.string().max(500) }), 1000),
});
export type OsvRecord = z.infer<typeof OsvRecord>;

/**
 * The records of a JSON text: one, an array of them, or `{"vulns": […]}` as the OSV service answers. Throws `ADVISORY_INVALID` when the text, or any
 * record in it, is not what the format says.
 */
export function parseOsv(text: string, name: string): OsvRecord[] {
  const fail = (detail: string): AssayError => new AssayError('ADVISORY_INVALID', { file: name, detail });
  if (isDeep(text)) throw fail(`it is nested more than ${MAX_DEPTH} levels deep`);
  const value = parseJson(text, fail);
  const listed = Array.isArray(value)
    ? value
    : typeof value === 'object' && value !== null && 'vulns' in value && Array.isArray(value.vulns)
      ? value.vulns
      : null;
  if (listed === null && text.length > MAX_RECORD_BYTES)
    throw fail(`one record of more than ${MAX_RECORD_BYTES} bytes`);
  const items: unknown[] = listed ?? [value];
  return items.map((item, index) => {
    const parsed = OsvRecord.safeParse(item);
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    const place = [...(listed === null ? [] : [index]), ...(issue?.path ?? [])].join('.');
    throw fail(`${place === '' ? 'it' : place}: ${issue?.message ?? 'not as the format says'}`);
  });
}

function parseJson(text: string, fail: (detail: string) => AssayError): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own words quote the text.
    throw fail('it is no JSON');
  }
}

/** Looked at before anything walks it: a few kilobytes can hold thousands of levels. */
function isDeep(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (quoted && character === '\\') at += 1;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && (character === '[' || character === '{')) depth += 1;
    else if (!quoted && (character === ']' || character === '}')) depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
