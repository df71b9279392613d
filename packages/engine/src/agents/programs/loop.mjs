// A small shell agent for any chat model, run inside the sandbox: node loop.mjs < request.json
// Asks, runs the commands that the answer holds, tells what came out, until an answer holds none.
import { askModel, NoAnswer, TooLong } from './ask-model.mjs';
import { request, runProgram } from './run-program.mjs';
import { runShell } from './run-shell.mjs';

const SYSTEM = `You are a software engineer with a shell. You work in the directory /workspace of a machine without network.
Use run_shell to look around, to change files and to try what you changed. Every command starts in /workspace, in a shell of its own.
When the task is done, answer with a short text and no tool call.`;

const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'run_shell',
      description: 'Runs a command in a shell and answers with its output and exit code. It cannot ask for input.',
      parameters: {
        type: 'object',
        properties: {
          command: { type: 'string', description: 'the shell command' },
          timeout_seconds: { type: 'integer', description: 'after which it is killed (default 120, at most 600)' },
        },
        required: ['command'],
      },
    },
  },
];
const LEFT_OUT = '[an output that is left out, as the conversation became too long]';
const CALLS_OF_ONE_ANSWER = 16;
const DEFAULT_SECONDS = 120;
const MOST_SECONDS = 600;

const { instruction, address, limits, ends } = request;
const messages = [
  { role: 'system', content: SYSTEM },
  { role: 'user', content: instruction },
];
let unfinished = 0;
await runProgram(work);

async function work() {
  for (let turn = 0; turn < limits.turns; turn += 1) {
    const { message, cut } = await askShortening();
    messages.push(message.raw);
    if (message.content !== '') console.log(message.content);
    if (message.toolCalls.length > 0) await answerCalls(message.toolCalls);
    else if (!goesOn(message, cut)) return 0;
  }
  console.log(`[stopped after ${limits.turns} answers of the model]`);
  return ends.ownLimit;
}

/** Outputs of commands are left out, the oldest half first, until the conversation fits. */
async function askShortening() {
  for (;;) {
    try {
      return await askModel(address, { messages, tools: TOOLS });
    } catch (error) {
      if (!(error instanceof TooLong)) throw error;
      const outputs = messages.filter(({ role, content }) => role === 'tool' && content !== LEFT_OUT);
      if (outputs.length === 0) throw new NoAnswer(error.message);
      for (const message of outputs.slice(0, Math.ceil(outputs.length / 2))) message.content = LEFT_OUT;
      console.log('[the conversation is too long for the model: older outputs are left out]');
    }
  }
}

/** An answer that was cut off, or is empty, is no end yet; twice in a row it is. */
function goesOn({ content }, cut) {
  if (!cut && content.trim() !== '') return false;
  unfinished += 1;
  if (unfinished > 2) return false;
  messages.push({
    role: 'user',
    content: cut
      ? 'Your answer was cut off. Go on, in smaller steps.'
      : 'Your answer was empty. Call run_shell, or say that the task is done.',
  });
  return true;
}

async function answerCalls(calls) {
  unfinished = 0;
  for (const [index, call] of calls.entries()) {
    const content =
      index < CALLS_OF_ONE_ANSWER ? await answerCall(call) : `not run: more than ${CALLS_OF_ONE_ANSWER} calls at once`;
    messages.push({ role: 'tool', tool_call_id: String(call.id), content });
  }
}

async function answerCall({ function: { name, arguments: given } }) {
  if (name !== 'run_shell') return `there is no tool ${name}; there is run_shell`;
  const { command, timeout_seconds: asked } = parseArguments(given);
  if (typeof command !== 'string' || command === '')
    return 'not run: the arguments are no JSON object with a text "command"';
  const seconds = Number.isFinite(asked) && asked > 0 ? Math.min(asked, MOST_SECONDS) : DEFAULT_SECONDS;
  console.log(`$ ${command}`);
  const { output, exitCode, timedOut } = await runShell(command, {
    cwd: '/workspace',
    timeoutMs: seconds * 1000,
    outputBytes: limits.outputBytes,
  });
  const end = timedOut ? `[killed after ${seconds} s]` : `[exit code ${exitCode}]`;
  console.log(`${output}${end}`);
  return `${output}${output === '' || output.endsWith('\n') ? '' : '\n'}${end}`;
}

function parseArguments(given) {
  try {
    const parsed = typeof given === 'string' ? JSON.parse(given) : given;
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
