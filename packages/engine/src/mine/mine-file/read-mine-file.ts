import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { AssayError, canonicalJson, SpecificityPolicy } from '@assay/protocol';
import { z } from 'zod';
import { locateSource } from '../../git/source-location.ts';
import { PIPELINES } from '../pipelines/index.ts';
import { flagOf, type Pipeline } from '../pipelines/pipeline.ts';
import { pipelineFlags } from '../pipelines/pipeline-flags.ts';
import { parsePositions, type Parsed, type Path } from './parse-positions.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_HOURS = 10_000;

const Count = z.int().min(1);
const Day = z
  .union([z.string(), z.date()])
  .transform((given) => (typeof given === 'string' ? given : given.toISOString()))
  .refine(
    (text) => /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?$/.test(text) && !Number.isNaN(Date.parse(text)),
    { error: 'is no date such as 2024-01-31' },
  )
  .transform((text) => new Date(text).toISOString());
const Duration = z.string().transform((text, context) => {
  const [, hours = 0, minutes = 0, seconds = 0] = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text) ?? [];
  const sum = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  if (sum === 0 || sum > MAX_HOURS * 3600)
    context.addIssue({ code: 'custom', message: 'is no time such as 30m or 1h30m' });
  return sum * 1000;
});

const Options = z.record(z.string(), z.unknown()).nullable();
const Source = z.strictObject({
  repository: z.string().min(1),
  /** One name, several, or each with its options. */
  pipelines: z.union([z.string(), z.array(z.string()).min(1), z.record(z.string(), Options)]),
  limit: Count.optional(),
  since: Day.optional(),
  until: Day.optional(),
});

/** The keys are the flags of `assay mine`, without dashes. */
const MineFile = z.strictObject({
  out: z.string().min(1).optional(),
  limit: Count.optional(),
  budget: Duration.optional(),
  since: Day.optional(),
  until: Day.optional(),
  cutoff: Day.optional(),
  specificity: SpecificityPolicy.optional(),
  require: z.literal('split').optional(),
  network: z.enum(['none', 'package-lane']).optional(),
  'min-killed': z.number().min(0).max(1).optional(),
  strengthen: z.boolean().optional(),
  jobs: Count.optional(),
  model: z.string().min(1).optional(),
  endpoint: z.url({ protocol: /^https?$/ }).optional(),
  blind: Count.optional(),
  'model-budget': Count.optional(),
  provider: z.string().min(1).optional(),
  sources: z.array(Source).min(1).max(1000),
});

/** One pipeline of one repository, as a file asks for it. */
export interface FiledPart {
  source: string;
  pipeline: Pipeline;
  options: Record<string, unknown>;
  since?: string;
  until?: string;
  limit?: number;
  /** Makes the error for what is wrong with it. */
  wrong: (detail: string) => AssayError;
}

export interface ReadMineFile {
  settings: Omit<z.infer<typeof MineFile>, 'sources'>;
  parts: FiledPart[];
}

/**
 * Reads what a run of `mine` is made of. Paths in it start from the file's own directory. Throws `MINE_FILE_INVALID` with
 * the line and the key.
 */
export async function readMineFile(path: string): Promise<ReadMineFile> {
  const parsed = parsePositions(await readText(path), path);
  const checked = MineFile.safeParse(parsed.value);
  if (!checked.success) throw wrongBy(checked.error, parsed);
  const { sources, ...settings } = checked.data;
  const home = dirname(resolve(path));
  const parts = sources.flatMap((source, index) => partsOf(source, { at: ['sources', index], home, parsed }));
  const { out } = settings;
  requireDifferent(parts);
  return { settings: { ...settings, ...(out !== undefined && { out: resolve(home, out) }) }, parts };
}

async function readText(path: string): Promise<string> {
  const fail = (detail: string): AssayError => new AssayError('MINE_FILE_INVALID', { place: path, detail });
  const entry = await stat(path).catch(() => null);
  if (!entry?.isFile()) throw fail(entry ? 'it is no file' : 'there is no such file');
  if (entry.size > MAX_BYTES) throw fail(`it is larger than ${MAX_BYTES} bytes`);
  return readFile(path, 'utf8');
}

function wrongBy({ issues }: z.ZodError, { wrong }: Parsed): AssayError {
  const [issue] = issues;
  if (issue?.code === 'unrecognized_keys') return wrong([...issue.path, issue.keys[0] ?? ''], 'there is no such key');
  const isMissing = issue?.code === 'invalid_type' && issue.message.endsWith('received undefined');
  return wrong(issue?.path ?? [], isMissing ? 'it is missing' : (issue?.message ?? 'it is not what it should be'));
}

interface Place {
  at: Path;
  /** Directory of the file. */
  home: string;
  parsed: Parsed;
}

function partsOf({ repository, pipelines, ...rest }: z.infer<typeof Source>, { at, home, parsed }: Place): FiledPart[] {
  const source = fromHome(repository, home);
  const path = [...at, 'pipelines'];
  const named =
    typeof pipelines === 'string'
      ? [{ name: pipelines, options: null, path }]
      : Array.isArray(pipelines)
        ? pipelines.map((name, index) => ({ name, options: null, path: [...path, index] }))
        : Object.entries(pipelines).map(([name, options]) => ({ name, options, path: [...path, name] }));
  if (named.length === 0) throw parsed.wrong(path, 'it names no pipeline');
  return named.map(({ name, options, path: here }) => {
    const pipeline = PIPELINES.find((each) => each.name === name);
    const known = PIPELINES.map((each) => each.name).join(', ');
    if (!pipeline) throw parsed.wrong(here, `no pipeline is called ${JSON.stringify(name)}. There are: ${known}`);
    const own = optionsOf(pipeline, options ?? {}, { at: here, home, parsed });
    return { source, pipeline, options: own, ...rest, wrong: (detail) => parsed.wrong(here, detail) };
  });
}

/** Options by the names of the pipeline's schema, from those of their flags. */
function optionsOf(
  pipeline: Pipeline,
  given: Readonly<Record<string, unknown>>,
  { at, home, parsed }: Place,
): Record<string, unknown> {
  const flags = pipelineFlags([pipeline]);
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => {
      const flag = flags.find((each) => each.flag === key);
      if (!flag) throw parsed.wrong([...at, key], `the pipeline ${pipeline.name} does not take ${flagOf(key)}`);
      const isPath = typeof value === 'string' && /\b(?:DIR|FILE)\b/.test(flag.value ?? '');
      return [flag.option, isPath ? fromHome(value, home) : value];
    }),
  );
}

/** A place as it is meant in a file of that directory: addresses stay as they are. */
function fromHome(place: string, home: string): string {
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(place) || /[\p{Cc}]/u.test(place) || place.startsWith('-')) return place;
  const path = resolve(home, place.replace(/^~(?=\/|$)/, process.env['HOME'] ?? '~'));
  return /^[^/]+:/.test(place) && !existsSync(path) ? place : path;
}

function requireDifferent(parts: readonly FiledPart[]): void {
  const seen = new Set<string>();
  for (const { source, pipeline, options, wrong } of parts) {
    const { kind, ...place } = locateSource(source, existsSync);
    const key = canonicalJson([
      kind,
      Object.values(place),
      pipeline.name,
      JSON.parse(JSON.stringify(options)) as unknown,
    ]);
    if (seen.has(key)) throw wrong('an earlier entry has the same repository and pipeline, with the same options');
    seen.add(key);
  }
}
