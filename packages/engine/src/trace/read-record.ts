import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { MODEL_DIALECTS, type ModelLaneEntry } from '@assay/lanes/model-lane/contract';

const Count = z.number().nonnegative();
const Entry = z.object({
  sequence: Count,
  time: z.string(),
  dialect: z.enum(MODEL_DIALECTS).nullable(),
  method: z.string(),
  path: z.string(),
  model: z.string().nullable(),
  stream: z.boolean(),
  request: z.object({ bytes: Count, sha256: z.string().nullable(), body: z.unknown() }),
  stripped: z.array(z.string()),
  injected: z.array(z.string()),
  outcome: z.enum(['answered', 'refused', 'budget', 'infrastructure', 'upstream-refused', 'client-gone']),
  status: Count,
  detail: z.string().nullable(),
  response: z
    .object({
      status: Count,
      contentType: z.string(),
      bytes: Count,
      sha256: z.string(),
      text: z.string(),
      truncated: z.boolean(),
      malformedEvents: Count,
    })
    .nullable(),
  usage: z
    .object({
      inputTokens: Count,
      cachedInputTokens: Count,
      cacheWriteTokens: Count,
      outputTokens: Count,
      usd: z.number().nullable(),
      estimated: z.boolean(),
    })
    .nullable(),
  retries: z.array(z.object({ detail: z.string(), waitMs: z.number() })),
  firstByteMs: z.number().nullable(),
  totalMs: Count,
});

/**
 * The entries of a lane's record, one at a time. `onBad` hears of lines that are none, such as the last one of a lane
 * that was killed.
 */
export async function* readRecord(
  file: string,
  onBad: (line: number) => void = () => {},
): AsyncGenerator<ModelLaneEntry> {
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    line += 1;
    if (text.trim() === '') continue;
    const entry = Entry.safeParse(parse(text));
    if (entry.success) yield { ...entry.data, request: { ...entry.data.request, body: entry.data.request.body } };
    else onBad(line);
  }
}

export const recordExists = async (file: string): Promise<boolean> =>
  stat(file).then(
    (found) => found.isFile(),
    () => false,
  );

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
