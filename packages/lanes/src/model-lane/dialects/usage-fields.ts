import { isRecord } from '../rules.ts';

/** Reads a count of tokens, or 0 for anything else: services are not believed blindly. */
export function count(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= 1_000_000_000 ? value : 0;
}

/** Returns a member that is an object, or an empty object. */
export function member(value: unknown, name: string): Record<string, unknown> {
  const found = isRecord(value) ? value[name] : undefined;
  return isRecord(found) ? found : {};
}
