import { z } from 'zod';

/** The document that every command prints with `--json` when it fails. */
export const ErrorDocument = z.object({
  error: z.object({
    /** A code of the error catalogue, `SYSTEM` for what the system refused, or `UNEXPECTED`. */
    code: z.string(),
    /** Decides the exit code: `user` and `task` 2, `machine` 5, the others 1. */
    kind: z.enum(['user', 'task', 'agent', 'infrastructure', 'machine', 'bug']),
    /** For a person, in one line. */
    message: z.string(),
  }),
});
export type ErrorDocument = z.infer<typeof ErrorDocument>;
