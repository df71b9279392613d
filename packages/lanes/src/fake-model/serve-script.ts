import { readFile, stat } from 'node:fs/promises';
import { AssayError } from '@assay/protocol';
import { parseScript } from './script.ts';
import { startFakeModel, type FakeModelOptions } from './start-fake-model.ts';

const MAX_PORT = 65_535;
const MAX_SCRIPT_BYTES = 64 << 20;

export interface ServeScriptOptions extends Omit<FakeModelOptions, 'script' | 'remembers'> {
  /** Holds the script. */
  file: string;
  /** Ends it. */
  signal: AbortSignal;
  /** Called with `http://HOST:PORT` once it can be asked. */
  onListening: (origin: string) => void;
}

/**
 * Serves the script of a file until the signal. Throws as {@link startFakeModel} does, and `SCRIPT_INVALID` for a file
 * that cannot be read.
 */
export async function serveScript({
  file,
  signal,
  onListening,
  ...options
}: ServeScriptOptions): Promise<{ origin: string; requests: number }> {
  if (options.port !== undefined && options.port > MAX_PORT)
    throw new AssayError('BAD_OPTION', { option: '--port', detail: `give a number up to ${MAX_PORT}` });
  const script = parseScript(await readScript(file), file);
  let requests = 0;
  const onRequest: ServeScriptOptions['onRequest'] = (entry) => {
    requests += 1;
    options.onRequest?.(entry);
  };
  const model = await startFakeModel({ ...options, script, onRequest, remembers: false });
  try {
    onListening(model.origin);
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    return { origin: model.origin, requests };
  } finally {
    await model.close();
  }
}

async function readScript(file: string): Promise<string> {
  try {
    const found = await stat(file);
    if (!found.isFile() || found.size > MAX_SCRIPT_BYTES)
      throw new AssayError('SCRIPT_INVALID', {
        file,
        field: 'the file',
        detail: `expected a file of at most ${MAX_SCRIPT_BYTES} bytes`,
      });
    return await readFile(file, 'utf8');
  } catch (error) {
    if (AssayError.is(error)) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new AssayError(
      'SCRIPT_INVALID',
      { file, field: 'the file', detail: `cannot be read (${code})` },
      { cause: error },
    );
  }
}
