import { memoryQueue } from './memory-queue.ts';
import { queueConformance } from './queue-conformance.ts';

queueConformance('memoryQueue', (now) => memoryQueue(now));
