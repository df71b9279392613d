import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runCommand } from '@assay/sandbox';
import { adaptCall } from './adapt-call.ts';
import type { OfferedTool, PlannedCall } from './contract.ts';
import { openaiResponses } from './dialects/openai-responses.ts';
import type { ScriptedCall } from './script.ts';

const CALLS = {
  read: { name: 'read_file', arguments: { path: 'a.txt' } },
  write: { name: 'write_file', arguments: { path: 'd/a.txt', content: 'one\ntwo\n' } },
  edit: { name: 'edit_file', arguments: { path: 'a.txt', old: 'one', new: 'two' } },
  run: { name: 'run_shell', arguments: { command: 'ls' } },
};
const adapt = (call: Partial<ScriptedCall> & { name: string }, tools: OfferedTool[]): Omit<PlannedCall, 'id'> => {
  const { id, ...others } = adaptCall({ arguments: {}, raw: false, ...call }, 'x', tools);
  assert.equal(id, 'x');
  return others;
};
const tool = (
  name: string,
  properties: Record<string, object>,
  required: string[],
  others: Partial<OfferedTool> = {},
): OfferedTool => ({
  name,
  kind: 'function',
  description: '',
  parameters: { type: 'object', properties, required },
  ...others,
});
const text = { type: 'string' };
const called = (name: string, given: object, others: object = {}): object => ({
  name,
  kind: 'function',
  arguments: given,
  input: '',
  namespace: undefined,
  ...others,
});

/** The tools of the agents as they offer them, shortened to what matters. */
const CLAUDE = [
  tool('Bash', { command: text, description: text, timeout: { type: 'number' } }, ['command']),
  tool('Read', { file_path: text }, ['file_path']),
  tool('Write', { file_path: text, content: text }, ['file_path', 'content']),
  tool('Edit', { file_path: text, old_string: text, new_string: text }, ['file_path', 'old_string', 'new_string']),
];
const GEMINI = [
  tool('read_file', { file_path: text }, ['file_path']),
  tool('write_file', { file_path: text, content: text }, ['file_path', 'content']),
  tool(
    'replace',
    { file_path: text, instruction: text, old_string: text, new_string: text, allow_multiple: { type: 'boolean' } },
    ['file_path', 'instruction', 'old_string', 'new_string'],
  ),
  tool('run_shell_command', { command: text }, ['command']),
];
const OPENCODE = [
  tool('bash', { command: text, description: text }, ['command', 'description']),
  tool('read', { filePath: text }, ['filePath']),
  tool('write', { filePath: text, content: text }, ['filePath', 'content']),
  tool('edit', { filePath: text, oldString: text, newString: text }, ['filePath', 'oldString', 'newString']),
];
const CODEX = [
  tool('exec_command', { cmd: text, workdir: text }, ['cmd']),
  { name: 'apply_patch', kind: 'custom' as const, description: '', parameters: undefined },
];

describe('the vocabulary fits the tools of', () => {
  test('Claude Code', () => {
    assert.deepEqual(adapt(CALLS.read, CLAUDE), called('Read', { file_path: 'a.txt' }));
    assert.deepEqual(adapt(CALLS.write, CLAUDE), called('Write', { file_path: 'd/a.txt', content: 'one\ntwo\n' }));
    assert.deepEqual(
      adapt(CALLS.edit, CLAUDE),
      called('Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }),
    );
    assert.deepEqual(adapt(CALLS.run, CLAUDE), called('Bash', { command: 'ls' }));
  });

  test('Gemini CLI, what is required besides filled in', () => {
    assert.deepEqual(adapt(CALLS.read, GEMINI), called('read_file', { file_path: 'a.txt' }));
    assert.deepEqual(
      adapt(CALLS.edit, GEMINI),
      called('replace', {
        file_path: 'a.txt',
        old_string: 'one',
        new_string: 'two',
        instruction: 'as the script says',
      }),
    );
    assert.deepEqual(adapt(CALLS.run, GEMINI), called('run_shell_command', { command: 'ls' }));
  });

  test('opencode', () => {
    assert.deepEqual(adapt(CALLS.read, OPENCODE), called('read', { filePath: 'a.txt' }));
    assert.deepEqual(
      adapt(CALLS.edit, OPENCODE),
      called('edit', { filePath: 'a.txt', oldString: 'one', newString: 'two' }),
    );
    assert.deepEqual(adapt(CALLS.run, OPENCODE), called('bash', { command: 'ls', description: 'as the script says' }));
    const patching = [
      tool('bash', { command: text }, ['command']),
      tool('apply_patch', { patchText: text }, ['patchText']),
    ];
    assert.deepEqual(
      adapt(CALLS.edit, patching),
      called('apply_patch', { patchText: '*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch\n' }),
    );
  });

  test('Codex: a shell, and patches as free text', () => {
    assert.deepEqual(adapt(CALLS.run, CODEX), called('exec_command', { cmd: 'ls' }));
    assert.deepEqual(adapt(CALLS.read, CODEX), called('exec_command', { cmd: "cat 'a.txt'" }));
    assert.deepEqual(adapt(CALLS.write, CODEX), {
      name: 'apply_patch',
      kind: 'custom',
      arguments: {},
      input: '*** Begin Patch\n*** Add File: d/a.txt\n+one\n+two\n*** End Patch\n',
      namespace: undefined,
    });
  });

  test('Codex with newer models: in namespaces inside of the input, through code', () => {
    const exec = { type: 'custom', name: 'exec', description: 'runs JavaScript; `await tools.exec_command({cmd})`' };
    const { tools } = openaiResponses.read(
      {
        input: [
          {
            type: 'additional_tools',
            role: 'developer',
            tools: [
              { type: 'namespace', name: 'functions', tools: [exec, { type: 'function', name: 'wait' }] },
              { type: 'web_search' },
            ],
          },
        ],
      },
      new URL('http://x/'),
    );
    assert.deepEqual(
      tools?.map(({ name, namespace, kind }) => [name, namespace, kind]),
      [
        ['exec', 'functions', 'custom'],
        ['wait', 'functions', 'function'],
        ['web_search', undefined, 'hosted'],
      ],
    );
    const { name, namespace, kind, input } = adapt(CALLS.run, tools ?? []);
    assert.deepEqual([name, namespace, kind], ['exec', 'functions', 'custom']);
    assert.match(input, /tools\.exec_command\(\{ cmd: "ls" \}\)/);
  });

  test('a loop with one shell tool, whatever its name', () => {
    assert.deepEqual(
      adapt(CALLS.run, [tool('do_it', { script: text }, ['script'])]),
      called('do_it', { script: 'ls' }),
    );
    assert.deepEqual(
      adapt(CALLS.run, [tool('shell', { command: { type: 'array' } }, ['command'])]),
      called('shell', { command: ['sh', '-c', 'ls'] }),
    );
    assert.throws(() => adapt(CALLS.run, []), /no tool that is offered can run_shell\. Offered: none/);
    assert.throws(
      () => adapt(CALLS.run, [{ ...CLAUDE[0], name: 'bash', kind: 'hosted', description: '', parameters: {} }]),
      /Offered: bash/,
    );
  });
});

test('any other name, and a raw one, goes out as it stands', () => {
  assert.deepEqual(adapt({ name: 'Glob', arguments: { pattern: '*' } }, CLAUDE), called('Glob', { pattern: '*' }));
  assert.deepEqual(
    adapt({ name: 'read_file', raw: true, arguments: { absolute_path: '/x' } }, CLAUDE),
    called('read_file', { absolute_path: '/x' }),
  );
  assert.deepEqual(adapt({ name: 'apply_patch', input: 'p' }, CODEX), {
    name: 'apply_patch',
    kind: 'custom',
    arguments: {},
    input: 'p',
    namespace: undefined,
  });
});

test('the commands that stand for files do what they say', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'assay-adapt-'));
  const shell = [tool('bash', { command: text }, ['command'])];
  const act = async (
    call: Partial<ScriptedCall> & { name: string },
  ): Promise<{ exitCode: number | null; stdout: string }> => {
    const { arguments: given } = adapt(call, shell);
    const { exitCode, stdout } = await runCommand(['sh', '-c', String(given['command'])], { cwd: directory });
    return { exitCode, stdout: stdout.toString('utf8') };
  };
  try {
    const content = 'it\'s\n$HOME `x` \\n "q"\tend\n\n';
    const path = "new dir/it's.txt";
    assert.equal((await act({ name: 'write_file', arguments: { path, content } })).exitCode, 0);
    assert.equal((await act({ name: 'read_file', arguments: { path } })).stdout, content);
    assert.equal(
      (await act({ name: 'edit_file', arguments: { path, old: '$HOME `x`', new: 'a & b\nc' } })).exitCode,
      0,
    );
    assert.equal(await readFile(join(directory, path), 'utf8'), 'it\'s\na & b\nc \\n "q"\tend\n\n');
    assert.notEqual((await act({ name: 'edit_file', arguments: { path, old: 'not there', new: 'x' } })).exitCode, 0);
    await writeFile(join(directory, '-rf'), 'odd');
    assert.equal((await act({ name: 'read_file', arguments: { path: '-rf' } })).stdout, 'odd');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
