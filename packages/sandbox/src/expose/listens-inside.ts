import { open } from 'node:fs/promises';

const LISTENING = '0A';
/** The kernel lists listening sockets first, so that floods of connections are not read. */
const LARGEST_TABLE = 1024 * 1024;

/**
 * Whether anything listens on a TCP port in the network namespace of a process, on any address. False when the process
 * is gone.
 */
export async function listensInside(pid: number, port: number): Promise<boolean> {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readTable(`/proc/${pid}/net/${name}`)));
  return tables.some((table) =>
    table.split('\n').some((line) => {
      const [, address = '', , state] = line.trim().split(/\s+/);
      return state === LISTENING && address.endsWith(local);
    }),
  );
}

async function readTable(path: string): Promise<string> {
  const file = await open(path).catch(() => null);
  try {
    const buffer = Buffer.alloc(64 * 1024);
    let text = '';
    while (file && text.length < LARGEST_TABLE) {
      const { bytesRead } = await file.read(buffer);
      if (bytesRead === 0) break;
      text += buffer.toString('latin1', 0, bytesRead);
    }
    return text;
  } catch {
    return '';
  } finally {
    await file?.close();
  }
}
