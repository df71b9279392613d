import type Docker from 'dockerode';
import { bootId, isAlive } from '../../process/process-identity.ts';
import { ownerIdentity } from '../../runtime/runtime-directory.ts';
import { unlessDone } from './docker-client.ts';

const OWNER = 'assay.owner';
const BOOT = 'assay.boot';
const SANDBOX = 'assay.sandbox';

/** Labels of all containers and volumes of a sandbox, by which they are found when this process is gone. */
export function ownerLabels(sandboxId: string): Record<string, string> {
  return { [OWNER]: ownerIdentity(), [BOOT]: bootId(), [SANDBOX]: sandboxId };
}

/** Removes the containers and volumes of processes that no longer live. The daemon must run on this machine. */
export async function sweepDocker(docker: Docker): Promise<void> {
  const filters = { label: [OWNER] };
  for (const { Id, Labels } of await docker.listContainers({ all: true, filters })) {
    if (isOrphan(Labels)) await unlessDone(docker.getContainer(Id).remove({ force: true, v: true }));
  }
  const { Volumes: volumes } = await docker.listVolumes({ filters });
  for (const { Name, Labels } of volumes) {
    if (isOrphan(Labels)) await unlessDone(docker.getVolume(Name).remove());
  }
}

/** Process identities are unique until the next boot only. */
function isOrphan(labels: Record<string, string> | null): boolean {
  const owner = labels?.[OWNER];
  return owner !== undefined && (labels?.[BOOT] !== bootId() || !isAlive(owner));
}
