import type { OptionSpec } from '../command.ts';

export const providerOption = {
  kind: 'text',
  value: 'NAME',
  description: 'sandbox provider, as `assay doctor` lists them (default: the strongest here)',
} as const satisfies OptionSpec;

/** Leaves out what was not given, as exact optional properties want it. */
export function given<Values extends Record<string, unknown>>(values: Values): { [Name in keyof Values]?: Exclude<Values[Name], undefined> } {
  const kept = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [Name in keyof Values]?: Exclude<Values[Name], undefined> };
}
