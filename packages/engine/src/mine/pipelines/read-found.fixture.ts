import { text } from 'node:stream/consumers';
import { openChatModel } from '@assay/lanes/models/chat-model';
import { z } from 'zod';
import { openRepository } from '../../git/repository.ts';
import type { Pipeline } from './pipeline.ts';

// Started by the conformance tests: `MODULE EXPORT`, with what was found on the standard input. Answers the candidates.
const [module = '', name = ''] = process.argv.slice(2);
const { gitDirectory, data, endpoint } = z
  .object({ gitDirectory: z.string(), data: z.array(z.unknown()), endpoint: z.string().optional() })
  .parse(JSON.parse(await text(process.stdin)));

const exported: Record<string, Pipeline> = await import(module);
const pipeline = Object.values(exported).find((each) => each.name === name);
const repository = openRepository(gitDirectory);
const model = endpoint === undefined ? null : openChatModel({ endpoint, model: 'scripted' });
const candidates: unknown[] = [];
for (const each of data) {
  const candidate = await pipeline?.read(each, { repository, model });
  candidates.push({ ...candidate, ecosystem: candidate?.ecosystem.id });
}
await repository.objects.close();
process.stdout.write(JSON.stringify(candidates));
