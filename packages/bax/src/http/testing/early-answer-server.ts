import { createServer } from 'node:net';

/**
 * A program of its own, as only another process can close in the middle of a write: `early-answer-server.ts SOCKET`. It
 * reads up to 3 MB of an upload, answers 413 and closes with the rest unread. Writes a line when it listens; ends with
 * its standard input.
 */
const [socketPath = ''] = process.argv.slice(2);
createServer((socket) => {
  const enough = Math.random() * 3_000_000;
  let came = 0;
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    came += bytes.length;
    if (came < enough) return;
    socket.removeAllListeners('data').pause();
    socket.write('HTTP/1.1 413 No\r\nContent-Length: 3\r\n\r\nbig', () => socket.destroy());
  });
}).listen(socketPath, () => process.stdout.write('listening\n'));
process.stdin.on('end', () => process.exit()).resume();
