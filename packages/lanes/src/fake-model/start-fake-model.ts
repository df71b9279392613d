import { closeSync, openSync, writeSync } from 'node:fs';
import { AssayError } from '@assay/protocol';
import { playScript } from './script-player.ts';
import { checkScript, type FakeModelScriptInput } from './script.ts';
import {
  serveFakeModel,
  type FakeModelLogEntry,
  type FakeModelService,
  type ServeOptions,
} from './serve-fake-model.ts';

export interface FakeModelOptions extends Omit<ServeOptions, 'respond'> {
  /** A script as described in `docs/fake-model.md`. It is validated here. */
  script: FakeModelScriptInput;
  /** File that every request is appended to, as one line of JSON each, without keys. */
  log?: string;
}

/**
 * Starts a model that answers as a script says, in the dialects OpenAI chat and responses, Anthropic messages and
 * Gemini. Throws `SCRIPT_INVALID`, or `BAD_OPTION` when the log cannot be written or the port not be had.
 */
export async function startFakeModel({ script, log, ...options }: FakeModelOptions): Promise<FakeModelService> {
  const respond = playScript(checkScript(script));
  if (log === undefined) return serveFakeModel({ respond, ...options });
  const file = openLog(log);
  try {
    let isOpen = true;
    const onRequest = (entry: FakeModelLogEntry): void => {
      options.onRequest?.(entry);
      if (isOpen) writeSync(file, `${JSON.stringify(entry)}\n`);
    };
    const service = await serveFakeModel({ ...options, respond, onRequest });
    const close = async (): Promise<void> => {
      await service.close();
      if (isOpen) closeSync(file);
      isOpen = false;
    };
    return { ...service, close };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function openLog(path: string): number {
  try {
    return openSync(path, 'a', 0o600);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new AssayError(
      'BAD_OPTION',
      { option: '--log', detail: `cannot write to ${path} (${code})` },
      { cause: error },
    );
  }
}
