import type { SandboxProvider } from '../../contract.ts';
import { ociSeccomp } from '../../seccomp/oci-seccomp.ts';
import { StageProvider } from '../stage-provider.ts';
import { OciRunner } from './oci-runner.ts';

/** Sandboxes of Linux namespaces, made by runc. Isolation level `namespace`. */
export function runcProvider(): SandboxProvider {
  const runner = new OciRunner({
    name: 'runc',
    globalArguments: () => [],
    // Kept after its end, so that the out-of-memory events of its control group can still be read.
    runArguments: ['--keep', '--no-new-keyring'],
    managesCgroup: true,
    seccomp: ociSeccomp(),
    userNamespaceWithHostNetwork: true,
    ownKernel: false,
    keep: [],
    failure: { exitCode: 1, logged: 'runc run failed' },
  });
  return new StageProvider(runner, 'namespace');
}

/** Sandboxes with a kernel of their own in user space, made by gVisor's runsc. Isolation level `gvisor`. */
export function runscProvider(): SandboxProvider {
  const runner = new OciRunner({
    name: 'runsc',
    globalArguments: ({ shareNetwork }) => [
      `--network=${shareNetwork ? 'host' : 'none'}`,
      '--ignore-cgroups',
      '--overlay2=none',
      '--host-uds=open',
      '--host-fifo=open',
      '--file-access=shared',
    ],
    runArguments: [],
    managesCgroup: false,
    seccomp: null,
    userNamespaceWithHostNetwork: false,
    ownKernel: true,
    // gVisor mounts a tmpfs of its own, without a limit, on an empty /tmp.
    keep: ['/tmp'],
    failure: { exitCode: 128, logged: 'running container' },
  });
  return new StageProvider(runner, 'gvisor');
}
