import { AssayError } from '@assay/protocol';
import { z } from 'zod';
import { flagOf, type Pipeline } from './pipeline.ts';

/** An option of one or more pipelines, as a command line shows it. */
export interface PipelineFlag {
  /** Name in the schema. */
  option: string;
  /** Name without the leading dashes. */
  flag: string;
  kind: 'flag' | 'text' | 'count' | 'url' | 'list';
  /** Name of the value in the help. */
  value?: string;
  /** Help text; ends with the pipelines that take it. */
  description: string;
}

const Property = z.object({
  type: z.enum(['boolean', 'string', 'integer', 'array']),
  format: z.string().optional(),
  description: z.string(),
  value: z.string().optional(),
});

/** Flags that `assay mine` has with any pipeline, and those of every command. */
export const SHARED_FLAGS: readonly string[] = [
  'pipeline',
  'specificity',
  'min-killed',
  'strengthen',
  'blind',
  'out',
  'limit',
  'budget',
  'explain',
  'since',
  'until',
  'cutoff',
  'network',
  'config',
  'require',
  'jobs',
  'model',
  'model-budget',
  'endpoint',
  'provider',
  'json',
  'help',
  'version',
];

/**
 * Makes the flags of some pipelines from their options. Defaults stay with the pipeline. Throws `IMPOSSIBLE` for an
 * option that no flag can express, for one with the name of a shared flag, and for two options that share a name but
 * differ.
 */
export function pipelineFlags(pipelines: readonly Pipeline[]): PipelineFlag[] {
  const flags = new Map<string, PipelineFlag & { takenBy: string[] }>();
  for (const pipeline of pipelines)
    for (const flag of flagsOf(pipeline)) {
      const known = flags.get(flag.flag);
      if (SHARED_FLAGS.includes(flag.flag))
        throw unusable(
          pipeline,
          flag.option,
          `--${flag.flag} is a flag of \`assay mine\` itself. Give it another name`,
        );
      if (known && (known.kind !== flag.kind || known.description !== flag.description))
        throw unusable(pipeline, flag.option, `${known.takenBy.join(', ')} has another of that name`);
      if (known) known.takenBy.push(pipeline.name);
      else flags.set(flag.flag, { ...flag, takenBy: [pipeline.name] });
    }
  return [...flags.values()].map(({ takenBy, ...flag }) => ({
    ...flag,
    description: `${flag.description} (${takenBy.join(', ')})`,
  }));
}

function flagsOf(pipeline: Pipeline): PipelineFlag[] {
  const { properties = {} } = z.toJSONSchema(pipeline.options, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([option, property]) => {
    const parsed = Property.safeParse(property);
    if (!parsed.success) throw unusable(pipeline, option, 'give it a type that a flag can have, and a description');
    const { type, format, description, value } = parsed.data;
    const kind = type === 'string' ? (format === 'uri' ? 'url' : 'text') : KINDS[type];
    return {
      option,
      flag: flagOf(option).slice(2),
      kind,
      description,
      value: kind === 'flag' ? undefined : (value ?? DEFAULT_VALUES[kind]),
    };
  });
}

const KINDS = { boolean: 'flag', integer: 'count', array: 'list' } as const;
const DEFAULT_VALUES = { text: 'TEXT', count: 'N', url: 'URL', list: 'TEXT' } as const;

const unusable = (pipeline: Pipeline, option: string, why: string): AssayError =>
  new AssayError('IMPOSSIBLE', { detail: `the option ${option} of the pipeline ${pipeline.name}: ${why}` });
