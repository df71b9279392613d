import { fstatSync, writeSync } from 'node:fs';
import { constants } from 'node:os';

/** As the shell reports a program that `SIGPIPE` ended. */
const READER_GONE = 128 + constants.signals.SIGPIPE;
const MACHINE = 5;

/**
 * Writes all of `text` to standard output. Answers null, or the exit code where that failed: 141 and no word when the
 * reader of a pipe went away, as other tools do, else 5 and one line on standard error.
 */
export async function writeAnswer(text: string): Promise<number | null> {
  try {
    if (isFile()) writeToFile(Buffer.from(text));
    else await writeToStream(text);
    return null;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    if (code === 'EPIPE') return READER_GONE;
    process.stderr.write(`error: the answer could not be written to standard output (${code})\n`);
    return MACHINE;
  }
}

/** Or a device that is no terminal, such as /dev/full. */
function isFile(): boolean {
  const stats = fstatSync(process.stdout.fd);
  return stats.isFile() || (stats.isCharacterDevice() && !process.stdout.isTTY);
}

/** Node's own stream for files takes a short write, as on a disk that fills up, for a whole one. */
function writeToFile(bytes: Buffer): void {
  for (let written = 0; written < bytes.length;)
    written += writeSync(process.stdout.fd, bytes, written, bytes.length - written);
}

function writeToStream(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
