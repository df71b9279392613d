import { text } from 'node:stream/consumers';
import { GradeOrder } from '@assay/protocol';
import { gradeWorker } from './grade-worker.ts';

// Started by a test: grades the order that comes as JSON on the standard input.
const worker = gradeWorker();
await worker.run(GradeOrder.parse(JSON.parse(await text(process.stdin))));
await worker.close();
