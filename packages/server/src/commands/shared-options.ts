import { AssayError } from '@assay/protocol/errors';
import type { OptionSpec } from '../command.ts';

export const providerOption = {
  kind: 'text',
  value: 'NAME',
  description: 'sandbox provider, as `assay doctor` lists them (default: the strongest here)',
} as const satisfies OptionSpec;

/** Of the model that judges answers to standards. */
export const judgeOptions = {
  'judge-endpoint': { kind: 'url', value: 'URL', description: 'of a model that judges where a task needs one; its key is in ASSAY_MODEL_KEY' },
  'judge-model': { kind: 'text', value: 'NAME', description: 'name of that model' },
} as const satisfies Record<string, OptionSpec>;

/** Both options or neither. Throws `BAD_OPTION`. */
export function judgeAddress(options: { 'judge-endpoint': string | undefined; 'judge-model': string | undefined }): { endpoint: string; model: string } | undefined {
  const { 'judge-endpoint': endpoint, 'judge-model': model } = options;
  if (endpoint === undefined && model === undefined) return undefined;
  if (endpoint === undefined) throw new AssayError('BAD_OPTION', { option: '--judge-model', detail: 'give --judge-endpoint too' });
  if (model === undefined) throw new AssayError('BAD_OPTION', { option: '--judge-endpoint', detail: 'give --judge-model too' });
  return { endpoint, model };
}

/** Leaves out what was not given, as exact optional properties want it. */
export function given<Values extends Record<string, unknown>>(values: Values): { [Name in keyof Values]?: Exclude<Values[Name], undefined> } {
  const kept = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [Name in keyof Values]?: Exclude<Values[Name], undefined> };
}
