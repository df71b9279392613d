import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { AssayError } from '@assay/protocol/errors';
import { HOME } from '../../resolve-options.ts';
import { holderSettings, DOCKER_USER, SHARED_DIRECTORIES, VOLUME, type ContainerTraits } from './container-settings.ts';
import { messageOf, statusOf, unlessDone } from './docker-client.ts';
import { splitStreams } from './docker-streams.ts';
import { attach } from './run-container.ts';

const makeShared = ({ name, mode }: (typeof SHARED_DIRECTORIES)[number]): string =>
  `mkdir ${name} && chmod ${mode} ${name} && chown "$uid:$gid" ${name} || exit 1`;

/**
 * Arguments: user id, group id, what must be able to run (or nothing), how many directories `volume-N` to make, then
 * the paths to be hidden. Fills the volume, says what is at each hidden path, and waits for the end of its input.
 */
const SCRIPT = `
uid=$1 gid=$2 must_run=$3 volumes=$4
shift 4
cd ${VOLUME} || exit 1
${SHARED_DIRECTORIES.map(makeShared).join('\n')}
while [ "$volumes" -gt 0 ]; do
  volumes=$((volumes-1))
  mkdir volume-$volumes && chown "$uid:$gid" volume-$volumes || exit 1
done
mkdir empty-directory && : > empty-file || exit 1
keep() { while IFS= read -r line; do case $line in user:*|*:*:"$2":*) ;; *) echo "$line" ;; esac; done < "$1"; }
{ keep /etc/passwd "$uid"; echo "user:x:$uid:$gid:user:${HOME}:/bin/sh"; } > passwd || exit 1
{ keep /etc/group "$gid"; echo "user:x:$gid:"; } > group || exit 1
if [ -n "$must_run" ]; then "$must_run" --version > /dev/null || exit 1; fi
for path; do if [ -d "$path" ]; then echo directory; elif [ -e "$path" ]; then echo file; else echo directory; fi; done
echo ready
read -r line
`;

/**
 * The container that owns the files of a sandbox: a volume in memory, which all execs of the sandbox share. It ends
 * when the connection to this process does, however that ends, and the daemon then removes it with its volume.
 */
export class DockerHolder {
  readonly #container: Docker.Container;
  readonly #attached: Duplex;
  /** The volume's directory as the daemon sees it. */
  readonly volume: string;
  /** `directory` or `file`, for each path to be hidden. */
  readonly hidden: Map<string, string>;

  private constructor(
    container: Docker.Container,
    attached: Duplex,
    found: { volume: string; hidden: Map<string, string> },
  ) {
    this.#container = container;
    this.#attached = attached;
    this.volume = found.volume;
    this.hidden = found.hidden;
  }

  /**
   * Throws `BAD_OPTION` for mounts that the daemon refuses, `PROVIDER_UNAVAILABLE` for an image or runtime that cannot
   * be used.
   */
  static async start(docker: Docker, traits: ContainerTraits): Promise<DockerHolder> {
    const paths = traits.options.mounts.flatMap((mount) => (mount.kind === 'hidden' ? [mount.target] : []));
    const mustRun = traits.options.lanes.length > 0 ? '/opt/assay/node' : '';
    const script = [
      SCRIPT,
      'sh',
      String(DOCKER_USER.uid),
      String(DOCKER_USER.gid),
      mustRun,
      String(traits.volumes.length),
      ...paths,
    ];
    const container = await refusals(docker.createContainer(holderSettings(traits, script)));
    try {
      const attached = await attach(container, true);
      const answer = readAnswer(attached);
      // When the start fails, that is the error.
      answer.catch(() => undefined);
      await refusals(container.start());
      const lines = await answer;
      const { Mounts } = await container.inspect();
      const volume = Mounts.find(({ Destination }) => Destination === VOLUME)?.Source;
      if (volume === undefined) throw startFailed('the volume is not there');
      return new DockerHolder(container, attached, {
        volume,
        hidden: new Map(paths.map((path, index) => [path, lines[index] ?? 'directory'])),
      });
    } catch (error) {
      await unlessDone(container.remove({ force: true, v: true })).catch(() => undefined);
      throw error;
    }
  }

  async alive(): Promise<boolean> {
    try {
      return (await this.#container.inspect()).State.Running;
    } catch (error) {
      if (statusOf(error) === 404) return false;
      throw error;
    }
  }

  /** Removes it with its volume. No other container may use the volume any more. */
  async stop(): Promise<void> {
    const closed = once(this.#attached, 'close').catch(() => undefined);
    await unlessDone(this.#container.remove({ force: true, v: true }));
    this.#attached.destroy();
    await closed;
  }
}

/** The lines before `ready`. Throws `SANDBOX_START_FAILED` with what it said when it ends before that. */
function readAnswer(attached: Duplex): Promise<string[]> {
  let said = '';
  let complained = '';
  return new Promise((resolve, reject) => {
    const ended = splitStreams(attached, (stream, chunk) => {
      if (stream === 'stderr') complained += chunk.toString('utf8');
      else said += chunk.toString('utf8');
      if (said.endsWith('ready\n')) resolve(said.split('\n').slice(0, -2));
    });
    void ended.then(() => reject(startFailed(complained.trim() || 'its first container ended at once')));
  });
}

/** The daemon refuses a bind whose source is missing, or whose target cannot be, with 400 or 500. */
async function refusals<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const detail = messageOf(error);
    if (/runtime name|unknown runtime/i.test(detail)) {
      const hint = 'Register it with the daemon (`runsc install`, or --add-runtime).';
      throw new AssayError('PROVIDER_UNAVAILABLE', { name: 'docker', detail, hint }, { cause: error });
    }
    if (/mount|bind source|not a directory/i.test(detail))
      throw new AssayError('BAD_OPTION', { option: 'mounts', detail }, { cause: error });
    throw startFailed(detail, error);
  }
}

export function startFailed(detail: string, cause?: unknown): AssayError {
  return new AssayError('SANDBOX_START_FAILED', { provider: 'docker', detail }, { cause });
}
