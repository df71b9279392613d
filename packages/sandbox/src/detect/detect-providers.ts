import type { IsolationLevel, LimitsLevel } from '@assay/protocol/isolation';
import { limitsHere } from '../limits/limits-here.ts';
import { CATALOGUE, type CatalogueEntry } from '../providers/catalogue.ts';
import { measureStart, probeProvider } from './probe-provider.ts';

/** Says whether and how well a provider works on this machine. */
export interface ProviderReport {
  name: string;
  isolation: IsolationLevel;
  /** A sandbox starts and runs a command. */
  available: boolean;
  limits: LimitsLevel;
  /**
   * Milliseconds to create a sandbox, run `true` in it and destroy it: the median of five. `null` when not available.
   */
  startMs: number | null;
  /** Why it is not available, or what does not work in it. Only a provider without any is chosen by default. */
  problems: string[];
  /** A command that installs what is missing. */
  install?: string;
}

const RUNS = 5;

/** Starts a sandbox with every provider and says what works. Always probes anew. */
export async function detectProviders(): Promise<ProviderReport[]> {
  const reports: ProviderReport[] = [];
  // One after another: each is measured.
  for (const entry of CATALOGUE) reports.push(await report(entry));
  return reports;
}

async function report(entry: CatalogueEntry): Promise<ProviderReport> {
  const { starts, problems, install } = await probeProvider(entry);
  return {
    name: entry.name,
    isolation: entry.isolation,
    available: starts,
    limits: limitsHere(),
    startMs: starts ? await measureStart(entry, RUNS) : null,
    problems,
    install,
  };
}
