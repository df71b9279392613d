import { isRecord } from '../rules.ts';

/** A count of tokens; 0 for what is none. Services are not believed blindly. */
export function count(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= 1_000_000_000 ? value : 0;
}

/** A member that is an object, else an empty one. */
export function member(value: unknown, name: string): Record<string, unknown> {
  const found = isRecord(value) ? value[name] : undefined;
  return isRecord(found) ? found : {};
}
