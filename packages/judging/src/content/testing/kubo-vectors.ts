import { SAMPLE_EMPTY_DIRECTORIES, SAMPLE_TREE, sampleBytes } from './sample-tree.ts';

/**
 * Output of Kubo 0.40.1 for these bytes, with its default configuration: `ipfs add -Q --cid-version=1 FILE` and
 * `ipfs add -Q --cid-version=0 FILE`. `real-kubo.test.ts` compares it with a Kubo of this machine.
 */
export const KUBO_FILES = [
  {
    name: 'empty',
    bytes: () => Buffer.alloc(0),
    v1: 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku',
    v0: 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH',
  },
  {
    name: 'one byte',
    bytes: () => sampleBytes(1),
    v1: 'bafkreibff4imqnqq5pfbubm4boxievplul4vxzgr266pvcoxesfifwprce',
    v0: 'QmQGb6CHE3S7BK7gJCBNNnDAALk8pXokXH8Krhy77nsEma',
  },
  {
    name: '256 KiB - 1',
    bytes: () => sampleBytes(262_143),
    v1: 'bafkreibxqhjr7zb3xrg5whnynnwjsjjsyz3tpgvvgdumh36mlm3j5m6kq4',
    v0: 'QmciEtMk9pBLjc66Wu8AUqcR86Qg2gmFB9Vr1SJLvFyZGc',
  },
  {
    name: '256 KiB',
    bytes: () => sampleBytes(262_144),
    v1: 'bafkreictwvyksxnnqwlccaf3d6wf3oxl2nnliwkmrreo3c5clpwfxbxjtq',
    v0: 'QmcbhqEneCpQD8KrkgDuN1FBXv6cjCxTSWpNMEecC7C2dA',
  },
  {
    name: '256 KiB + 1',
    bytes: () => sampleBytes(262_145),
    v1: 'bafybeiarmnsuysfm6isa7dphlf65rydo7ibar5rjh4437ipzby7m4abkky',
    v0: 'QmeHYS2duenz96c1s5g5DaNHZYawncykge5CJTRuHczR15',
  },
  {
    name: '512 KiB',
    bytes: () => sampleBytes(524_288),
    v1: 'bafybeigquztbuxrtt5myupkunkv6agmgz2jitovfr2ftwdbfm5y7dnovni',
    v0: 'QmW92B4nZQNfUtCPZufYpuS4uxHngk4Y5g4Xt4ZpRjpQSx',
  },
  {
    name: 'a million zeros',
    bytes: () => Buffer.alloc(1_000_000),
    v1: 'bafybeidide6lpcdutn3we5vvypssfhlq2n265w6dygwj37fyeklhlmfi34',
    v0: 'QmXXNNbwe4zzpdMg62ZXvnX1oU7MwSrQ3vAEtuwFKCm1oD',
  },
  {
    name: '174 chunks',
    bytes: () => sampleBytes(174 * 262_144),
    v1: 'bafybeihc2g7zissuxsiqry6ycpliuzboaiqgnqmuqqfuu5ex64qylntplm',
    v0: 'QmTtjhiK8EYa22JKyH4rJEwaTou7uzR6V12E9UA7tXVJZG',
  },
  {
    name: '174 chunks + 1',
    bytes: () => sampleBytes(174 * 262_144 + 1),
    v1: 'bafybeicbswzmlaylotbe2xnhzaxs5zg5btvwlx2cjd2czmaprznra3fwca',
    v0: 'QmRnxi88xtknvr7Fj3E2NBA5wBB69jjZfTMSat4vsM3BGW',
  },
  {
    name: '50 MB',
    bytes: () => sampleBytes(50_000_000),
    v1: 'bafybeie6tn5udxi4mgcgs647xymq6kjnzhwfelnkpii3qeszwl4scvadfy',
    v0: 'QmVzWaWCDkzWNqAHM7zeVqsaxVAj28JkHp2mX89LPyaoaE',
  },
] as const;

/** As above with `-r`: {@link SAMPLE_TREE} with {@link SAMPLE_EMPTY_DIRECTORIES}, and a directory of nothing. */
export const KUBO_DIRECTORIES = {
  sample: {
    v1: 'bafybeibb4k2nsskooha5nhxq7korpgdofg32ugnmopqwxhwfiacsslwu7m',
    v0: 'QmaKFRDwTh7H2BJ2A1efMA5Q194ZUcuHGa3DQwcmSZytgT',
    files: Object.keys(SAMPLE_TREE).length,
    empty: SAMPLE_EMPTY_DIRECTORIES,
  },
  nothing: {
    v1: 'bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354',
    v0: 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn',
  },
};
