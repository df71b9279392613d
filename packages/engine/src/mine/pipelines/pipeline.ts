import type { ImportedRepository } from '../../git/import-repository.ts';
import type { Candidate } from '../candidate.ts';
import type { ReadAdvisories } from './cve-patches/osv/read-advisories.ts';

/**
 * A way to find candidates in a repository, and to say what is wrong in each. The stages after it are the same for all:
 * `2-build`, `3-prove` and `4-write` beside this file.
 */
export interface Pipeline {
  readonly name: string;
  /** Part of the cache key: raise it when a change of the pipeline can change how a candidate ends. */
  readonly version: string;
  /** What is told when the text that came with a candidate says too little and no model is there to write more. */
  readonly statementSource: string;
  /**
   * Whether what hidden tests demand and nobody could guess is told in a line of the instruction; else such a candidate
   * is rejected.
   */
  readonly discloses: boolean;
  /** Stage 1. Candidates in the order in which they are to be examined, newest first. */
  collect(repository: ImportedRepository, options: CollectOptions): Promise<Collected>;
}

export interface CollectOptions {
  /** Only fixes after this date. */
  since?: string;
  /** What `--osv` named, of pipelines that start from advisories. */
  advisories?: ReadAdvisories;
  signal?: AbortSignal;
}

export interface Collected {
  found: AsyncIterable<Found> | Iterable<Found>;
  /** Of pipelines that start from advisories: what became of the records before any candidate was examined. */
  advisories?: AdvisoryNotes;
}

export interface AdvisoryNotes {
  read: number;
  withdrawn: number;
  /** They speak of other projects. */
  elsewhere: number;
  /** They speak of what another one speaks of, by an alias or by the same fix. */
  merged: number;
  /** Why files of a directory were left out, one line each. */
  refused: string[];
}

/** A candidate that is not read yet: reading may reject it. */
export interface Found {
  /** What people know it by while it is examined: never part of a task. */
  label: string;
  /** With the repository, all that its end depends on. */
  key: string;
  read(): Promise<Candidate>;
}
