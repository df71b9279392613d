// Asks a chat model once and writes what the answer holds, run inside the sandbox: node single-turn.mjs < request.json
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { applyDiff } from './apply-diff.mjs';
import { askModel, NoAnswer, TooLong } from './ask-model.mjs';
import { diffsOf, filesOf, oneFileOf } from './read-answer.mjs';
import { request, runProgram } from './run-program.mjs';
import { showTree } from './show-tree.mjs';

const ROOT = '/workspace';
const REPOSITORY = `You are a software engineer. You are shown a repository and a task, and you answer once; nobody runs anything for you.
For every file that you change or add, give a line with its path, and under it a fenced block with the complete new content.
Or give one unified diff in a block that is marked diff. Files that you do not name stay as they are.`;
const ANSWER = 'You answer once. Give the complete content of the file that is asked for, in one fenced block.';

const { instruction, address, limits, ends, answer: answerPath } = request;
await runProgram(work);

async function work() {
  const { message, cut } = await askOnce(limits.shownBytes);
  console.log(message.content);
  if (cut) console.log('[the answer was cut off]');
  const changes = answerPath === undefined ? changesOf(message.content) : answerOf(message.content, answerPath);
  for (const { path, content } of changes) {
    if (content === null) rmSync(inside(path), { force: true });
    else write(inside(path), content);
    console.log(`[${content === null ? 'removed' : 'wrote'} ${path}]`);
  }
  return changes.length === 0 ? ends.nothingWritten : 0;
}

/** What is too long for the model is asked again with less of the repository. */
async function askOnce(shownBytes) {
  const system = answerPath === undefined ? REPOSITORY : ANSWER;
  const user =
    answerPath === undefined ? `${showTree(ROOT, instruction, shownBytes)}\nThe task:\n\n${instruction}` : instruction;
  try {
    return await askModel(address, {
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: user },
      ],
    });
  } catch (error) {
    if (!(error instanceof TooLong)) throw error;
    if (answerPath !== undefined || shownBytes === 0) throw new NoAnswer(error.message);
    return askOnce(shownBytes < 1024 ? 0 : shownBytes / 2);
  }
}

function answerOf(text, path) {
  const content = oneFileOf(text, path);
  return content === null ? [] : [{ path, content }];
}

function changesOf(text) {
  const changes = filesOf(text);
  for (const diff of diffsOf(text)) {
    try {
      changes.push(...applyDiff(diff, readText));
    } catch (error) {
      console.log(`[the diff is not applied: ${error.message}]`);
    }
  }
  return changes;
}

function readText(path) {
  try {
    return readFileSync(inside(path), 'utf8');
  } catch {
    return null;
  }
}

/** A path of an answer, below the root. */
function inside(path) {
  if (path.startsWith('/') || path.split('/').includes('..')) throw new Error(`${path} is not below ${ROOT}`);
  return join(ROOT, path);
}

function write(file, content) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
