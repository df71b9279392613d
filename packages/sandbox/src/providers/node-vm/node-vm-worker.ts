import { parentPort } from 'node:worker_threads';
import { SubmissionScript } from '../../languages/javascript/submission-script.ts';
import { timedOutAfter, type ProgramRequest } from '../javascript/program-result.ts';
import type { FromWorker, ToWorker } from '../javascript/worker-messages.ts';
import { VmGuest, VmTimeout } from './vm-guest.ts';

/** Time to fetch what a program printed, after its own time is over. */
const TIME_TO_FINISH_MS = 100;

function say(message: FromWorker): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(message);
}

function run(message: ToWorker): void {
  if (message.kind === 'program') {
    say({ kind: 'started', timeoutMs: message.timeoutMs });
    say({ kind: 'outcome', text: runProgram(message), next: 'end' });
  } else {
    const script = new SubmissionScript(message.source, message.language);
    const { cases, functionName } = message;
    for (const [index, { input, timeoutMs }] of cases.entries()) {
      if (index === 0) say({ kind: 'started', timeoutMs });
      say({
        kind: 'outcome',
        text: script.attempt((text) => runCase(text, functionName, input, timeoutMs)),
        next: cases[index + 1]?.timeoutMs ?? 'end',
      });
    }
  }
}

function runCase(source: string, functionName: string, input: string, timeoutMs: number): string {
  try {
    const guest = new VmGuest(timeoutMs);
    const refused = guest.call('load', source, functionName);
    if (refused !== '') return refused;
    guest.call('call', input);
    for (;;) {
      const outcome = guest.call('poll');
      if (outcome !== '') return outcome;
      if (guest.call('tick') === '')
        return guest.call('poll') || JSON.stringify({ failed: 'the promise is never settled' });
    }
  } catch (error) {
    return JSON.stringify({ failed: error instanceof VmTimeout ? timedOutAfter(timeoutMs) : 'the harness broke down' });
  }
}

function runProgram({ source, files, timeoutMs }: ProgramRequest): string {
  const guest = new VmGuest(timeoutMs);
  try {
    guest.call('run', source, files);
    while (guest.call('tick') !== '');
    return guest.call('finish');
  } catch (error) {
    if (!(error instanceof VmTimeout)) return JSON.stringify({ stderr: 'the harness broke down\n', exitCode: 1 });
    const printed: unknown = JSON.parse(lastWords(guest));
    return JSON.stringify({ ...(printed instanceof Object ? printed : {}), exitCode: 124, timedOut: true });
  }
}

/** Returns what a stopped program had printed so far, if it still answers. */
function lastWords(guest: VmGuest): string {
  try {
    guest.extendTime(TIME_TO_FINISH_MS);
    return guest.call('finish');
  } catch {
    return '{}';
  }
}

// Promises of submissions that nobody waits for.
process.on('unhandledRejection', () => undefined);
parentPort?.on('message', run);
