import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * IPv4 ranges that are no part of the public internet (IANA's special-purpose registry), or that lead to no single
 * host.
 */
const SPECIAL_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** The only part of IPv6 that is assigned for public use, and not all of it is. */
const GLOBAL_V6 = '2000::/3';
/** Protocol assignments with Teredo and ORCHID, documentation. */
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '3fff::/20'];
/** Prefixes that wrap an IPv4 address, with the index of the 16-bit group where it begins. */
const EMBEDDING = [
  { prefix: '::ffff:0:0/96', at: 6 },
  { prefix: '64:ff9b::/96', at: 6 },
  { prefix: '2002::/16', at: 1 },
];

const specialV4 = blockList(SPECIAL_V4, 'ipv4');
const globalV6 = blockList([GLOBAL_V6], 'ipv6');
const specialV6 = blockList(SPECIAL_V6, 'ipv6');
const embedding = EMBEDDING.map(({ prefix, at }) => ({ list: blockList([prefix], 'ipv6'), at }));

/**
 * Whether an IP address, as text, is of the public internet: global unicast, also where it is wrapped in another
 * (IPv4-mapped, NAT64, 6to4). False for whatever is no plain address, such as one with a zone.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !specialV4.check(address, 'ipv4');
  if (!isIPv6(address) || address.includes('%')) return false;
  const wrapper = embedding.find(({ list }) => list.check(address, 'ipv6'));
  if (wrapper !== undefined) return isPublicAddress(embeddedV4(address, wrapper.at));
  return globalV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6');
}

function embeddedV4(address: string, at: number): string {
  const groups = groupsOf(address);
  return [at, at + 1].flatMap((index) => [(groups[index] ?? 0) >> 8, (groups[index] ?? 0) & 0xff]).join('.');
}

/** Returns the eight groups of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  // `URL` writes every address in canonical form, without dotted parts.
  const [left = '', right] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const parse = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const head = parse(left);
  const tail = parse(right ?? '');
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}

function blockList(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    list.addSubnet(network, Number(bits), family);
  }
  return list;
}
