import type { ExecOptions, SandboxOptions } from '@assay/sandbox';

/** A capability that a provider may declare missing: its cases are left out, and asking for it must be refused. */
export type Capability =
  /** Foreign code is kept from the host, from other sandboxes and from the system part of its own tree. */
  | 'isolation'
  /** No exec finds anything that another exec of the same sandbox started. */
  | 'exec-isolation'
  /** Nothing that a command started outlives it. */
  | 'exec-lifetime'
  /** Network `none` and lanes, as opposed to whatever network there is. */
  | 'network'
  | 'lanes'
  /** Memory, processes and disk. */
  | 'limits'
  /** Files and directories of the host, and `hidden`. */
  | 'host-mounts'
  | 'layers'
  | 'host-view'
  | 'export'
  /** `expose` and `listens`. */
  | 'exposed-ports'
  /** `usage`. */
  | 'usage'
  /** `readFileBytes`, `kindOf` and `diskUsage`. */
  | 'file-facts'
  /** `root`. */
  | 'root-tree'
  /** `unsealed`: positive controls. */
  | 'seals'
  /** The tree is made of the host's own toolchain, not of an image. */
  | 'host-toolchain'
  /** The user inside has the id 1000, or 0 where that is asked for, whatever id that is outside. */
  | 'user-namespace';

/** Ways of asking for a capability at `create`, each of which must be `BAD_OPTION` without it. */
export const REQUESTS: Partial<Record<Capability, SandboxOptions[]>> = {
  lanes: [{ network: { kind: 'lanes', lanes: [{ port: 7001, socket: '/run/lane.sock' }] } }],
  network: [{ network: { kind: 'none' } }],
  limits: [
    { limits: { memoryBytes: 64 * 1024 * 1024 } },
    { limits: { pids: 10 } },
    { limits: { diskBytes: 1024 * 1024 } },
  ],
  'host-mounts': [
    { mounts: [{ kind: 'read-only', source: '/usr', target: '/opt/usr' }] },
    { mounts: [{ kind: 'writable', source: '/tmp', target: '/opt/tmp' }] },
    { mounts: [{ kind: 'hidden', target: '/opt' }] },
  ],
  'root-tree': [{ root: '/usr' }],
  layers: [{ mounts: [{ kind: 'layers', sources: [], target: '/data' }] }],
  'user-namespace': [{ user: 'root' }],
  seals: (['network', 'host-files', 'privileges', 'limits'] as const).map((seal) => ({ unsealed: [seal] })),
};

/** The same for `exec`. */
export const EXEC_REQUESTS: Partial<Record<Capability, ExecOptions[]>> = {
  'exposed-ports': [{ expose: [{ port: 5000, socket: '/tmp/assay-exposed.sock' }] }],
};
