import { cacheDirectory } from '@assay/files/store/paths';
import { AssayError } from '@assay/protocol';
import { openForge } from '../forges/open-forge.ts';
import { openPullExport } from '../forges/pull-export.ts';
import type { PullSource } from '../forges/pull-request.ts';

/** Where pull requests come from beside the history. */
export interface OpenedSource {
  source: PullSource;
  /** The option that named it. */
  option: '--pulls' | '--forge';
  /** `host/owner/name` of the repositories that it is about. */
  repositories: ReadonlySet<string>;
}

export interface SourceOptions {
  pulls?: string;
  forge?: string;
  forgeKind?: string;
  tokenEnv?: string;
}

/** Opens a forge or an export; null when neither is named. Throws `BAD_OPTION`. */
export async function openSource(
  { pulls, forge, forgeKind, tokenEnv }: SourceOptions,
  signal?: AbortSignal,
): Promise<OpenedSource | null> {
  const needsForge = forgeKind === undefined ? (tokenEnv === undefined ? null : '--token-env') : '--forge-kind';
  if (forge === undefined && needsForge !== null)
    throw new AssayError('BAD_OPTION', { option: needsForge, detail: 'it needs --forge' });
  if (pulls !== undefined) {
    if (forge !== undefined) throw new AssayError('BAD_OPTION', { option: '--pulls', detail: 'give it or --forge' });
    const exported = await openPullExport(pulls, signal);
    return { source: exported, option: '--pulls', repositories: exported.repositories };
  }
  if (forge === undefined) return null;
  const opened = await openForge(
    {
      address: forge,
      kind: forgeKind,
      tokenVariable: tokenEnv,
      environment: process.env,
      cacheDirectory: cacheDirectory(),
    },
    signal,
  );
  return { source: opened, option: '--forge', repositories: new Set([opened.own]) };
}
