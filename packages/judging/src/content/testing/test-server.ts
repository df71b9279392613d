import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CID } from 'multiformats/cid';
import { DAG_PB, RAW, contentIdOf, digestHex, parseContentId } from '../content-id.ts';
import type { Plant } from './hostile-content.ts';

export interface TestServer {
  url: string;
  port: number;
  /** Paths with queries that were asked for, oldest first. */
  requests: string[];
  close(): Promise<void>;
}

/** A real server on a loopback address, with a free port unless one is given. */
export async function startServer(
  listener: RequestListener,
  options: { host?: string; port?: number } = {},
): Promise<TestServer> {
  const requests: string[] = [];
  const server = http.createServer((request, response) => {
    requests.push(request.url ?? '');
    listener(request, response);
  });
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, resolve);
  });
  // A server that listens on a port has an address of this shape.
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://${host}:${port}`, port, requests, close };
}

export interface BlockServer extends TestServer {
  plant: Plant;
}

type Blocks = Map<string, Uint8Array>;

/** A trustless gateway as its specification says: `GET /ipfs/CID?format=raw`. It believes whatever it was given. */
export async function startGateway(): Promise<BlockServer> {
  const blocks: Blocks = new Map();
  const server = await startServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://gateway');
    const raw = url.searchParams.get('format') === 'raw' && request.headers.accept === 'application/vnd.ipld.raw';
    const bytes = blocks.get(digestHex(parseContentId(url.pathname.replace(/^\/ipfs\//, ''))));
    if (!raw || request.method !== 'GET') response.writeHead(406).end();
    else if (bytes === undefined) response.writeHead(404).end('no such block');
    else response.writeHead(200, { 'content-type': 'application/vnd.ipld.raw' }).end(bytes);
  });
  return { ...server, plant: planter(blocks) };
}

/** The three RPC calls of Kubo, with the answers that Kubo 0.40.1 gives. */
export async function startKubo(): Promise<BlockServer & { pins: string[] }> {
  const blocks: Blocks = new Map();
  const pins: string[] = [];
  const server = await startServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://kubo');
    if (request.method !== 'POST') return response.writeHead(405).end('405 - Method Not Allowed\n');
    if (url.pathname === '/api/v0/block/get') return answerBlock(url, blocks, response);
    if (url.pathname === '/api/v0/block/put') return void storeBlock(url, request, response, blocks);
    if (url.pathname !== '/api/v0/pin/add') return response.writeHead(404).end('404 page not found\n');
    pins.push(url.searchParams.get('arg') ?? '');
    return json(response, 200, { Pins: pins.slice(-1) });
  });
  return { ...server, plant: planter(blocks), pins };
}

function planter(blocks: Blocks): Plant {
  return async (cid: CID, bytes: Uint8Array) => void blocks.set(digestHex(cid), Uint8Array.from(bytes));
}

function answerBlock(url: URL, blocks: Blocks, response: ServerResponse): void {
  const cid = parseContentId(url.searchParams.get('arg') ?? '');
  const bytes = blocks.get(digestHex(cid));
  if (bytes === undefined)
    return json(response, 500, {
      Message: `block was not found locally (offline): ipld: could not find ${cid.toString()}`,
      Code: 0,
      Type: 'error',
    });
  response.writeHead(200, { 'content-type': 'application/vnd.ipld.raw' }).end(bytes);
}

async function storeBlock(url: URL, request: IncomingMessage, response: ServerResponse, blocks: Blocks): Promise<void> {
  const body = Buffer.concat(await request.toArray());
  const boundary = /boundary=(\S+)/.exec(request.headers['content-type'] ?? '')?.[1] ?? '';
  const bytes = body.subarray(body.indexOf('\r\n\r\n') + 4, body.lastIndexOf(`\r\n--${boundary}--`));
  const cid = contentIdOf(bytes, url.searchParams.get('cid-codec') === 'dag-pb' ? DAG_PB : RAW, 1);
  blocks.set(digestHex(cid), bytes);
  json(response, 200, { Key: cid.toString(), Size: bytes.length });
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
