import type { ChildProcess } from 'node:child_process';
import type { OrderQueue, QueuedOrder } from '@assay/protocol';

type Method = keyof OrderQueue<QueuedOrder>;
interface Call {
  id: number;
  method: Method;
  parameters: unknown[];
}
interface Answer {
  id: number;
  value: unknown;
}

/** Serves a queue of this process to a child process. Each call is told before it is answered. */
export function serveQueue(
  child: ChildProcess,
  queue: OrderQueue<QueuedOrder>,
  onCall: (method: Method) => void,
): void {
  const answer = async ({ id, method, parameters }: Call): Promise<void> => {
    onCall(method);
    // The parameters are those that the client below was given, by the same contract.
    const called = queue[method] as (...parameters: unknown[]) => Promise<unknown>;
    const value = await called(...parameters);
    if (child.connected) child.send({ id, value } satisfies Answer, () => undefined);
  };
  child.on('message', (message) => {
    if (isCall(message)) void answer(message);
  });
}

/** The queue that the parent process serves. */
export function queueOfParent(): OrderQueue<QueuedOrder> {
  const open = new Map<number, (value: never) => void>();
  let last = 0;
  process.on('message', ({ id, value }: Answer) => {
    open.get(id)?.(value as never);
    open.delete(id);
  });
  process.on('disconnect', () => process.exit(1));
  const call =
    (method: Method) =>
    <T>(...parameters: unknown[]): Promise<T> =>
      new Promise((resolve) => {
        last += 1;
        open.set(last, resolve);
        process.send?.({ id: last, method, parameters } satisfies Call);
      });
  return {
    enqueue: call('enqueue'),
    lease: call('lease'),
    renew: call('renew'),
    complete: call('complete'),
    fail: call('fail'),
    release: call('release'),
    counts: call('counts'),
  };
}

const isCall = (message: unknown): message is Call =>
  typeof message === 'object' && message !== null && 'method' in message;
