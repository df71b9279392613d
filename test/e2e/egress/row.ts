import type { World } from './world.ts';

/** One thing that is tried, from inside. */
export type Probe =
  | { kind: 'tcp'; host: string; port: number; say: string }
  | { kind: 'tcp'; path: string; say: string }
  | { kind: 'udp'; host: string; port: number; say: string }
  | { kind: 'lookup'; name: string; type?: string; server?: string }
  | { kind: 'run'; argv: string[]; env?: Record<string, string> };

/** How a lane is spoken to. */
export interface LaneForms {
  kind: 'model' | 'packages';
  /** A complete request that this lane answers with 200, with another host or more header lines. */
  good(options?: { host?: string; headers?: string; say?: string }): string;
  /** A good path. */
  path: string;
  /** Header lines that a good request has. */
  headers: string;
}

export interface Place {
  world: World;
  /** An address of the host other than loopback, or loopback where it has none. */
  gateway: string;
  /** Where the listener of the test stands on the host. */
  port: number;
}

/** One entry of the bank. `tag` is in everything that it sends, so that what arrives can be told apart. */
export interface Row {
  id: string;
  what: string;
  /** Bytes to a lane, one connection each. */
  lane?: (forms: LaneForms, tag: string, place: Place) => string[];
  /** Only to one of the lanes. */
  only?: LaneForms['kind'];
  /** Straight to listeners of the test, around every lane. */
  direct?: (tag: string, place: Place) => Probe[];
  /** The expected statuses of lanes. Default: one refusal, or the end of the connection. */
  answers?: RegExp;
  /**
   * The expected results of `direct`. Default: no connection, no answer, no address, no command that
   * ends with 0.
   */
  results?: RegExp;
  /**
   * Where the tag is to arrive in the control; `own`: the row is controlled by the test that `what` or `elsewhere`
   * names.
   */
  control?: 'own';
  /** A test of another file that holds this entry, as FILE: NAME. */
  elsewhere?: string;
}

/** One answer, and then nothing. */
export const REFUSED = /^4\d\d$/;
/** The output of a client that reaches nobody. */
export const NOBODY =
  /^(E(NETUNREACH|HOSTUNREACH|CONNREFUSED|ADDRNOTAVAIL|NOTFOUND|AI_AGAIN|AFNOSUPPORT|NOENT|ACCES|INVAL|TIMEOUT|PERM|CANCELLED|BADNAME|BADSTR|SERVFAIL|REFUSED|NODATA|FORMERR|NONAME)|ERR_[A-Z_]+|UNKNOWN|silent|exit [1-9]\d* .*|E2BIG.*)$/s;

/** A ClientHello as a client of TLS 1.2 or 1.3 sends it first. */
export function clientHello({
  tag,
  name,
  encrypted = false,
}: {
  tag: string;
  name?: string;
  encrypted?: boolean;
}): string {
  const u16 = (value: number): string => String.fromCharCode(value >> 8, value & 255);
  const block = (text: string): string => u16(text.length) + text;
  const extension = (type: number, data: string): string => u16(type) + block(data);
  const names = name === undefined ? '' : extension(0, block(`\0${block(name)}`));
  const hello = encrypted ? extension(0xfe0d, `\0\0\x01\0\x01\x07${block('k'.repeat(32))}${block(tag)}`) : '';
  const session = tag.padEnd(32, '-').slice(0, 32);
  const body = `\x03\x03${'r'.repeat(32)}\x20${session}${block('\x13\x01\xc0\x2f')}\x01\0${block(names + hello + extension(16, block('\x02h2')))}`;
  const handshake = `\x01\0${u16(body.length)}${body}`;
  return `\x16\x03\x01${block(handshake)}`;
}

/** The begin of an HTTP/2 connection with one request for an authority. */
export function http2Request(authority: string): string {
  const frame = (type: number, flags: number, stream: number, data: string): string =>
    String.fromCharCode(0, data.length >> 8, data.length & 255, type, flags, 0, 0, 0, stream) + data;
  return `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${frame(4, 0, 0, '')}${frame(1, 5, 1, `\x82\x86\x84\x01${String.fromCharCode(authority.length)}${authority}`)}`;
}

/** A query for an address. */
export function dnsQuery(name: string): string {
  return `\x12\x34\x01\0\0\x01\0\0\0\0\0\0${name
    .split('.')
    .map((label) => String.fromCharCode(label.length) + label)
    .join('')}\0\0\x01\0\x01`;
}
