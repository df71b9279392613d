/** One file of a PyPI project, whichever form the index had. */
export interface IndexFile {
  filename: string;
  url: URL;
  /** Algorithm to lower-case hex. */
  hashes: Record<string, string>;
  requiresPython: string | null;
  /** The reason, perhaps empty; null when the file is not yanked. */
  yanked: string | null;
  /** Null when the index does not say. */
  uploadedAt: Date | null;
  /** Hashes of the PEP 658 metadata file; `{}` when it has one but gives no hash; null without one. */
  metadata: Record<string, string> | null;
  /** Bytes. */
  size: number | null;
}

/** Parses a date, or returns null. An instant without a zone counts as UTC. */
export function parseInstant(text: string | null | undefined): Date | null {
  if (!text) return null;
  const zoned = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text) || /^\d{4}-\d\d-\d\d$/.test(text) ? text : `${text}Z`;
  const instant = new Date(zoned);
  return Number.isNaN(instant.getTime()) ? null : instant;
}
