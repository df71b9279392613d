import type { IsolationLevel } from '@assay/protocol/isolation';
import type { SandboxProvider } from '../contract.ts';
import { bubblewrapProvider } from './bubblewrap/bubblewrap-provider.ts';
import { runcProvider, runscProvider } from './oci/oci-provider.ts';

export interface CatalogueEntry {
  name: string;
  isolation: IsolationLevel;
  /** Other names that users may give. */
  aliases: string[];
  /** Commands of the host that it needs. */
  commands: string[];
  needsRoot: boolean;
  install: string;
  make: () => SandboxProvider;
}

const STAGE_COMMANDS = ['perl', 'nsenter', 'prlimit'];

/** Every provider that starts processes, in the order of preference among equals. */
export const CATALOGUE: readonly CatalogueEntry[] = [
  {
    name: 'runsc',
    isolation: 'gvisor',
    aliases: ['gvisor'],
    needsRoot: true,
    commands: ['runsc', 'setpriv', ...STAGE_COMMANDS],
    install: 'apt-get install runsc',
    make: runscProvider,
  },
  {
    name: 'bubblewrap',
    isolation: 'namespace',
    aliases: ['namespace', 'bwrap'],
    needsRoot: false,
    commands: ['bwrap', ...STAGE_COMMANDS],
    install: 'apt-get install bubblewrap',
    make: bubblewrapProvider,
  },
  {
    name: 'runc',
    isolation: 'namespace',
    aliases: [],
    needsRoot: true,
    commands: ['runc', 'setpriv', ...STAGE_COMMANDS],
    install: 'apt-get install runc',
    make: runcProvider,
  },
];
