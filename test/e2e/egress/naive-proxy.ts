import { rm } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';

/**
 * Starts the opposite of a lane: a forward proxy that accepts every target, tunnels, speaks SOCKS, upgrades, and
 * believes the host of a request. It is the control of the bank: through it every entry reaches a listener of the test,
 * whatever name it asked for.
 */
export async function startNaiveProxy(socketPath: string, listener: number): Promise<{ close(): Promise<void> }> {
  const sockets = new Set<net.Socket>();
  const keep = (socket: net.Socket): net.Socket => {
    sockets.add(socket);
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  };
  const dial = (client: net.Socket, target: string, head = ''): void => {
    const upstream = keep(net.connect(listener, '127.0.0.1'));
    upstream.write(`for ${target} ${head}`, 'latin1');
    client.pipe(upstream).on('close', () => client.destroy());
  };
  const server = http.createServer({ insecureHTTPParser: true, maxHeaderSize: 256 * 1024 }, (request, response) => {
    const upstream = keep(net.connect(listener, '127.0.0.1'));
    upstream.write(
      `for ${request.url} of ${request.headers.host ?? ''} ${JSON.stringify(request.rawHeaders)} `,
      'latin1',
    );
    request
      .on('data', (chunk: Buffer) => upstream.write(chunk))
      .on('end', () => response.writeHead(200, { 'content-length': 2 }).end('ok'));
  });
  const tunnel = (request: http.IncomingMessage, socket: net.Socket, head: Buffer): void => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    dial(keep(socket), `${request.url} ${JSON.stringify(request.rawHeaders)}`, head.toString('latin1'));
  };
  server
    .on('connect', (request, socket, head) => tunnel(request, socket as net.Socket, head))
    .on('upgrade', (request, socket, head) => tunnel(request, socket as net.Socket, head));
  const front = net.createServer((client) => {
    keep(client).once('data', (data: Buffer) => {
      const text = data.toString('latin1');
      if (/^(\x05|PRI |\x16)/.test(text)) dial(client, 'no HTTP/1', text);
      else {
        client.pause();
        client.unshift(data);
        server.emit('connection', client);
        client.resume();
      }
    });
  });
  await new Promise<void>((resolve) => front.listen(socketPath, resolve));
  return {
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => front.close(resolve));
      server.close();
      await rm(socketPath, { force: true });
    },
  };
}
