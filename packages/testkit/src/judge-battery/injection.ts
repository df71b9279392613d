/** A way to talk to the judge from within a submission. */
export interface Injection {
  id: string;
  /** Puts it into or around some work. */
  wrap(work: string): string;
}

/** After the work. */
export function after(id: string, text: string): Injection {
  return { id, wrap: (work) => `${work}\n${text}\n` };
}

/** Before the work. */
export function before(id: string, text: string): Injection {
  return { id, wrap: (work) => `${text}\n\n${work}` };
}
