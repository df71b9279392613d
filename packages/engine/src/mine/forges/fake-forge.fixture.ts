import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers in place of the server; false: as it would. */
export type Trouble = (request: IncomingMessage, response: ServerResponse, count: number) => boolean;

export interface FakeIssue {
  number: number;
  title: string;
  body: string;
}

/** A pull request of the project `ink/pot`, before it is put into the words of a forge. */
export interface FakePull {
  number: number;
  title: string;
  body: string;
  merged: boolean;
  mergeCommit: string;
  /** Messages of its commits, oldest first. */
  commits: readonly string[];
}

export interface FakeForge {
  /** Address of the project. */
  address: string;
  origin: string;
  /** Requests, oldest first: the path with its query, and the status that was answered. */
  requests: { path: string; status: number; headers: http.IncomingHttpHeaders }[];
  close(): Promise<void>;
}

/** How a kind of forge words things, as its published description has it. */
export interface Wording {
  /** Where lists begin, items of a page, and rows, by paths below the root. Null for what is not there. */
  answer(path: string, things: Things): { rows: unknown[] } | { row: unknown } | null;
  /** Whether a request bears the token. */
  hasToken(headers: http.IncomingHttpHeaders, token: string): boolean;
  root: string;
  /** Whether answers have names. */
  etags: boolean;
  headers: Record<string, string>;
  /** Body of an error. */
  error(message: string): unknown;
}

export interface Things {
  pulls: readonly FakePull[];
  issues: readonly FakeIssue[];
}

/** Starts a server that speaks as a forge does, two rows a page. */
export async function startFakeForge(
  wording: Wording,
  things: Things,
  { token, trouble = () => false }: { token?: string; trouble?: Trouble } = {},
): Promise<FakeForge> {
  const requests: FakeForge['requests'] = [];
  const server = http.createServer((request, response) => {
    response.on('finish', () =>
      requests.push({ path: request.url ?? '', status: response.statusCode, headers: request.headers }),
    );
    for (const [name, value] of Object.entries(wording.headers)) response.setHeader(name, value);
    if (trouble(request, response, requests.length)) return;
    const json = (status: number, body: unknown): void =>
      void response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
    const url = new URL(request.url ?? '', 'http://forge');
    if (!url.pathname.startsWith(`${wording.root}/`)) return json(404, wording.error('Not Found'));
    if (token !== undefined && !wording.hasToken(request.headers, token))
      return json(401, wording.error('Unauthorized'));
    const found = wording.answer(decodeURIComponent(url.pathname.slice(wording.root.length)), things);
    if (found === null) return json(404, wording.error('Not Found'));
    const page = Number(url.searchParams.get('page') ?? 1);
    const body = 'rows' in found ? found.rows.slice(2 * page - 2, 2 * page) : found.row;
    if ('rows' in found && found.rows.length > 2 * page) {
      url.searchParams.set('page', String(page + 1));
      const { port } = server.address() as AddressInfo;
      response.setHeader(
        'link',
        `<http://127.0.0.1:${port}${url.pathname}${url.search}>; rel="next", <http://x/>; rel="last"`,
      );
    }
    if (wording.etags) {
      const etag = `W/"${Buffer.from(JSON.stringify(body)).toString('base64url').slice(0, 40)}${page}"`;
      response.setHeader('etag', etag);
      if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end();
    }
    json(200, body);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // A server that listens on a port has an address of this shape.
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { address: `${origin}/ink/pot`, origin, requests, close };
}
