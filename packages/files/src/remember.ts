/** Returns what `make` answered for a key before, or calls it. A failure is not remembered. */
export function remember<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const made = known.get(key) ?? make();
  known.set(key, made);
  made.catch(() => known.delete(key));
  return made;
}
