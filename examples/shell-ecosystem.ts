/** Repositories of shell scripts: `test/NAME.test.sh` holds functions `test_…`, and needs no packages. */
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { ecosystemOf, sourceTokens, type Ecosystem, type PreparedEnvironment } from '@assay/engine';
import type { EnvironmentSpec } from '@assay/protocol';

const RUNNER = new URL('shell-runner/', import.meta.url);
/** The runner is a program of Node, which the sandbox does not have by itself. */
const NODE = '/opt/node/bin/node';
const FUNCTION = /^([A-Za-z_]\w*) *\(\) *\{/;
const ASK_DATAGRAM =
  '$s = IO::Socket::INET->new(Proto => "udp", PeerAddr => "127.0.0.1:$ARGV[0]"); $s->send("?"); alarm 2; $s->recv($answer, 99); print $answer';
const node = ecosystemOf('node');

export const shell: Ecosystem = {
  id: 'shell',
  codeFiles: /\.sh$/,
  tools: [],
  classify: (path) => (path.startsWith('test/') ? 'test' : path.endsWith('.sh') ? 'source' : 'other'),
  steering: [],
  source: {
    tokens: (text) => sourceTokens(text, { comment: /#[^\n]*/y, string: /()(["'])/y }),
    definitions: (tokens) =>
      tokens.flatMap(({ kind, text: name, line }, index) => {
        const isDefined = ['(', '='].includes(tokens[index + 1]?.text ?? '');
        return kind === 'name' && isDefined ? [{ name, kind: 'global' as const, line }] : [];
      }),
    keywordSign: '=',
    fixedParts: ({ text }) => text.split(/\$\{?\w+\}?|%s/),
    messageCalls: /^grep$/,
    patternCalls: /^grep$/,
  },
  tests: {
    runners: ['shell-functions'],
    isTestFile: (path) => path.endsWith('.test.sh'),
    splitId(id) {
      const [file = '', ...names] = id.split(' > ');
      return { file, names };
    },
    titles: (text) => [...text.matchAll(/^(test_\w+) *\(\)/gm)].map(([, name = '']) => name),
    bodyOf: (text, id) => new RegExp(`^${id.split(' > ')[1]} *\\(\\)[^]*?^\\}`, 'm').exec(text)?.[0] ?? '',
    newFile: (mark) => `test/${mark}.test.sh`,
  },
  packages: { index: null, osvNames: [], manifests: /^VERSION$/, installedAt: async () => '/usr/local/lib' },
  // The image and the grader of JavaScript do: they need Node and a runner.
  image: { ...node.image, runner: RUNNER },
  bait: {
    findFunction(lines) {
      const head = lines.findIndex((line) => FUNCTION.test(line));
      const name = FUNCTION.exec(lines[head] ?? '')?.[1];
      return name === undefined ? null : { head, body: head + 1, name, argument: '1', indent: '  ' };
    },
    functionText: '\ncheck_length() {\n  echo "$1"\n}\n',
    guard: (argument, constant, value) => ({
      before: [`${constant}=${value}`],
      within: [`[ "\${#${argument}}" -le "$${constant}" ] || return 1`],
    }),
    test: ({ path, functionName, constant, value }) => ({
      name: `${functionName}.test.sh`,
      text: `test_${functionName}_has_a_limit() {\n  grep -q '^${constant}=${value}' '${path}'\n}\n`,
    }),
    manifest: 'VERSION',
    release: (project, version) => ({ root: project, path: `.cache/${project}-${version}.tgz` }),
  },
  attacks: {
    passingTests(_runner, ids) {
      const files: Record<string, string> = {};
      for (const [file, name] of ids.map((id) => id.split(' > ')))
        if (file !== undefined) files[file] = `${files[file] ?? ''}${name}() {\n  :\n}\n`;
      return files;
    },
    passAll: () => 'exit 0',
    skipAll: 'exit 0',
    silence: 'exec >/dev/null 2>&1; trap "exit 0" EXIT',
    readExpectations: '',
    runShell: (script) => `sh -c '${script.replaceAll("'", `'\\''`)}'`,
    exit: 'exit 0',
    alwaysEqual: 'test() { :; }',
    writeFile: (path, text) => `printf '%s' '${text}' > '${path}' || :`,
    printAndExit: (last, text) => `for fd in $(seq ${last}); do echo '${text}' >&"$fd" || :; done; exit 0`,
    download: (url, path) => ['curl', '--output', path, url],
    askDatagram: (port) => ['perl', '-MIO::Socket::INET', '-e', ASK_DATAGRAM, String(port)],
    runnerHook: () => null,
    runnerConfiguration: () => null,
    interpreterStart: () => ({ '.profile': 'exit 0' }),
    shadowedModule: () => null,
    compile: () => null,
    patchInstalled: () => null,
    loaderHook: () => null,
    openStart: (start) => start,
    installed: '/usr/local/lib/*',
  },
  projectNames: async () => [],
  interpreters: async () => [process.versions.node],
  testCommand: async () => ({ ecosystem: 'shell', runner: 'shell-functions', args: [], files: [], timeoutSec: 600 }),
  buildEnvironment: async ({ t0 }) => prepared(t0.toISOString()),
  restoreEnvironment: async ({ spec }) => prepared(spec.cutoff),
  launch: ({ command, nonce }) => ({
    argv: [NODE, '/opt/assay/runner/launch.mjs'],
    env: { TZ: 'UTC', NODE_OPTIONS: '' },
    stdin: JSON.stringify({ nonce, root: '/workspace', files: command.files }),
    mounts: [{ kind: 'read-only', source: fileURLToPath(RUNNER), target: '/opt/assay/runner' }],
  }),
};

/** Nothing is installed: Node is the environment. */
function prepared(cutoff: string): PreparedEnvironment {
  const interpreter = process.versions.node;
  const digest = createHash('sha256').update(`shell, node ${interpreter}`).digest('hex');
  const spec: EnvironmentSpec = {
    ecosystem: 'shell',
    interpreter,
    digest,
    resolution: 'none',
    cutoff,
    pins: [],
    excluded: [],
  };
  return {
    spec,
    mounts: () => [{ kind: 'read-only', source: process.execPath, target: NODE }],
    env: { PATH: '/usr/bin:/bin' },
    layerDirectories: [],
    bundleFiles: new Map(),
  };
}
