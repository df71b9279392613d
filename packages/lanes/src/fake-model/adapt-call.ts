import { field, list, textOf } from './json-access.ts';
import type { OfferedTool, PlannedCall } from './contract.ts';
import type { ScriptedCall } from './script.ts';
import { VOCABULARY } from './vocabulary.ts';

/** The request offers no tool that could do what the script wants. */
export class NoToolError extends Error {}

type Values = Record<string, string>;

/** Tools that do one thing of the vocabulary: by what they are called, and by what their arguments are called. */
const OWN_TOOLS: Record<string, { names: string[]; arguments: Record<string, string[]> }> = {
  read_file: {
    names: ['Read', 'read', 'read_file'],
    arguments: { path: ['file_path', 'filePath', 'path', 'absolute_path'] },
  },
  write_file: {
    names: ['Write', 'write', 'write_file', 'create_file'],
    arguments: {
      path: ['file_path', 'filePath', 'path', 'absolute_path'],
      content: ['content', 'contents', 'file_text'],
    },
  },
  edit_file: {
    names: ['Edit', 'edit', 'replace', 'edit_file', 'str_replace'],
    arguments: {
      path: ['file_path', 'filePath', 'path', 'absolute_path'],
      old: ['old_string', 'oldString', 'old_str', 'old'],
      new: ['new_string', 'newString', 'new_str', 'new'],
    },
  },
  run_shell: {
    names: ['Bash', 'bash', 'run_shell_command', 'exec_command', 'shell_command', 'shell', 'run_shell'],
    arguments: { command: ['command', 'cmd', 'script'] },
  },
};

/**
 * Adapts a scripted call to the tools that a request offers: the client's own tool where it has one, else a patch, else
 * a shell command. Throws {@link NoToolError}.
 */
export function adaptCall(call: ScriptedCall, id: string, offered: readonly OfferedTool[]): PlannedCall {
  const isOwn = call.raw || !VOCABULARY.has(call.name);
  return { id, ...(isOwn ? asWritten(call, offered) : translate(call.name, strings(call.arguments), offered)) };
}

type Target = Omit<PlannedCall, 'id'>;

function asWritten(
  { name, namespace, input, arguments: given }: ScriptedCall,
  offered: readonly OfferedTool[],
): Target {
  const tool = offered.find((one) => one.name === name && (namespace === undefined || one.namespace === namespace));
  const place = namespace ?? tool?.namespace;
  return {
    name,
    kind: input === undefined ? 'function' : 'custom',
    arguments: given,
    input: input ?? '',
    namespace: place,
  };
}

function translate(name: string, values: Values, offered: readonly OfferedTool[]): Target {
  const tools = offered.filter(({ kind }) => kind !== 'hosted');
  const found = ownTool(name, values, tools) ?? patch(name, values, tools) ?? shell(asCommand(name, values), tools);
  if (found !== null) return found;
  throw new NoToolError(
    `no tool that is offered can ${name}. Offered: ${offered.map((tool) => tool.name).join(', ') || 'none'}`,
  );
}

function ownTool(name: string, values: Values, tools: readonly OfferedTool[]): Target | null {
  const known = OWN_TOOLS[name];
  const functions = tools.filter(({ kind }) => kind === 'function');
  const tool = known?.names
    .map((one) => functions.find((candidate) => candidate.name === one))
    .find((one) => one !== undefined);
  if (known === undefined || tool === undefined) return null;
  return callFunction(
    tool,
    Object.entries(known.arguments).map(([value, names]) => [names, values[value] ?? '']),
  );
}

/**
 * The first of its names that the tool's schema knows carries each value; what else it requires gets something
 * harmless.
 */
function callFunction(tool: OfferedTool, given: [names: string[], value: string][]): Target {
  const properties = Object.keys(field(tool.parameters, 'properties') ?? {});
  const filled: Record<string, unknown> = {};
  for (const [names, value] of given) {
    const name = names.find((one) => properties.includes(one)) ?? names[0] ?? '';
    filled[name] = field(tool.parameters, 'properties', name, 'type') === 'array' ? ['sh', '-c', value] : value;
  }
  for (const name of list(field(tool.parameters, 'required')).map(textOf))
    filled[name] ??= harmless(field(tool.parameters, 'properties', name));
  return { name: tool.name, kind: 'function', arguments: filled, input: '', namespace: tool.namespace };
}

function harmless(schema: unknown): unknown {
  const [first] = list(field(schema, 'enum'));
  if (first !== undefined) return first;
  return (
    { number: 0, integer: 0, boolean: false, array: [], object: {} }[textOf(field(schema, 'type'))] ??
    'as the script says'
  );
}

function patch(name: string, values: Values, tools: readonly OfferedTool[]): Target | null {
  const tool = tools.find((one) => one.name === 'apply_patch');
  const { path = '', content = '', old = '', new: fresh = '' } = values;
  const marked = (mark: string, text: string): string[] =>
    text
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => `${mark}${line}`);
  if (tool === undefined || (name !== 'write_file' && name !== 'edit_file')) return null;
  const change =
    name === 'write_file'
      ? [`*** Add File: ${path}`, ...marked('+', content)]
      : [`*** Update File: ${path}`, '@@', ...marked('-', old), ...marked('+', fresh)];
  const text = ['*** Begin Patch', ...change, '*** End Patch', ''].join('\n');
  if (tool.kind === 'function') return callFunction(tool, [[['patchText', 'input', 'patch'], text]]);
  return { name: tool.name, kind: 'custom', arguments: {}, input: text, namespace: tool.namespace };
}

function shell(command: string, tools: readonly OfferedTool[]): Target | null {
  const own = ownTool('run_shell', { command }, tools);
  if (own !== null) return own;
  // Code that calls tools: Codex with newer models.
  const code = tools.find(
    ({ kind, name, description }) => kind === 'custom' && name === 'exec' && description.includes('exec_command'),
  );
  if (code !== undefined) {
    const input = `const result = await tools.exec_command({ cmd: ${JSON.stringify(command)} });\ntext(result.output);\n`;
    return { name: code.name, kind: 'custom', arguments: {}, input, namespace: code.namespace };
  }
  const names = OWN_TOOLS['run_shell']?.arguments['command'] ?? [];
  const any = tools.find(
    (tool) => tool.kind === 'function' && names.some((one) => field(tool.parameters, 'properties', one) !== undefined),
  );
  return any === undefined ? null : callFunction(any, [[names, command]]);
}

function asCommand(name: string, { path = '', content = '', old = '', new: fresh = '', command = '' }: Values): string {
  const file = quote(path.startsWith('-') ? `./${path}` : path);
  switch (name) {
    case 'read_file':
      return `cat ${file}`;
    case 'write_file':
      return `mkdir -p "$(dirname ${file})" && printf '%s' ${quote(content)} > ${file}`;
    case 'edit_file':
      return `changed=$(OLD=${quote(old)} NEW=${quote(fresh)} awk '${REPLACE_FIRST}' ${file}; echo $?) && [ "\${changed##*\n}" = 0 ] && printf '%s' "\${changed%0}" > ${file}`;
    default:
      return command;
  }
}

/** Fails where the old text is not; in the POSIX dialect, as a sandbox may hold nothing else. */
const REPLACE_FIRST = `
{ text = text $0 "\\n" }
END { at = index(text, ENVIRON["OLD"]); if (!at) exit 1; printf "%s%s%s", substr(text, 1, at - 1), ENVIRON["NEW"], substr(text, at + length(ENVIRON["OLD"])) }
`;

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function strings(values: Record<string, unknown>): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, textOf(value)]));
}
