import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cliPages } from './cli-pages.ts';
import { publishedSchemas } from './published-schemas.ts';

/** Where the schemas are published, and their text. */
export const schemasFile = (): { path: string; text: string } => ({
  path: join(import.meta.dirname, '../packages/protocol/schemas.json'),
  text: `${JSON.stringify(publishedSchemas(), null, 1)}\n`,
});

/** Everything that is made from code and kept in the repository. */
if (process.argv[1] === import.meta.filename) {
  const { path, text } = schemasFile();
  writeFileSync(path, text);
  for (const [page, content] of await cliPages()) writeFileSync(page, content);
}
