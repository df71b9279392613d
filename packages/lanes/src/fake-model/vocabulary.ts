import { z } from 'zod';

const Path = z.string('expected a path').min(1, 'expected a path');
const Content = z.string('expected a text');

/** Calls that a script may ask of any client: the shape of their arguments, by name. */
export const VOCABULARY: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ['read_file', z.strictObject({ path: Path })],
  ['write_file', z.strictObject({ path: Path, content: Content })],
  /** `old` and `new` are whole lines: some clients only know patches. */
  ['edit_file', z.strictObject({ path: Path, old: Content.min(1, 'expected a text'), new: Content })],
  ['run_shell', z.strictObject({ command: z.string('expected a command').min(1, 'expected a command') })],
]);
