import type { ModelLaneEntry } from './contract.ts';

/** The record of a request that has just arrived. */
export function newEntry(sequence: number, method: string, path: string): ModelLaneEntry {
  return {
    sequence,
    time: new Date().toISOString(),
    dialect: null,
    method,
    path,
    model: null,
    stream: false,
    request: { bytes: 0, sha256: null, body: null },
    stripped: [],
    injected: [],
    outcome: 'refused',
    status: 0,
    detail: null,
    response: null,
    usage: null,
    retries: [],
    firstByteMs: null,
    totalMs: 0,
  };
}
