import { join } from 'node:path';
import { AssayError } from '@assay/protocol';
import { runOwnTool } from '@assay/lanes/package-lane/run-own-tool';
import { prepareLayer } from '@assay/files/store/prepare-layer';
import { z } from 'zod';
import type { PrepareOptions } from '../../../framework.ts';
import { withHostNetwork } from '../host-network-box.ts';
import { layerDigest } from '../layer-digest.ts';

const RECIPE = 1;
const VERSION = 'go1.23.4';
const OLDEST_MINOR = 23;
const HOST_GO = '/opt/host-go';
/** Where modules come from, as the user configured it. */
const Settings = z.object({
  GOROOT: z.string().min(1),
  GOVERSION: z.string(),
  GOPROXY: z.string(),
  GOSUMDB: z.string(),
  GONOSUMDB: z.string(),
  GONOPROXY: z.string(),
  GOPRIVATE: z.string(),
  GOINSECURE: z.string(),
});

export interface GoTools {
  /** Such as `go1.23.4`. */
  version: string;
  root: string;
  /** Variables with which modules can be fetched. */
  fetching: Record<string, string>;
}

/** Settings that `go env` prints on this machine; null without a Go that fetches toolchains. */
export async function hostGo(): Promise<z.infer<typeof Settings> | null> {
  const text = await runOwnTool(['go', 'env', '-json', ...Object.keys(Settings.shape)], process.env);
  const settings = text === null ? null : Settings.parse(JSON.parse(text));
  return settings && Number(/^go1\.(\d+)/.exec(settings.GOVERSION)?.[1] ?? 0) >= OLDEST_MINOR ? settings : null;
}

/**
 * Upstream's Go, which comes as a module whose sum Go checks itself; where it does not come, the Go of this machine.
 */
export async function goTools(options: PrepareOptions): Promise<GoTools> {
  const host = await hostGo();
  if (!host) throw new AssayError('INTERPRETER_MISSING', { language: 'Go', wanted: `1.${OLDEST_MINOR}` });
  const { GOROOT: root, GOVERSION: version, ...fetching } = host;
  if (version === VERSION) return { version, root, fetching };
  try {
    const layer = await prepareLayer(
      options.cacheDirectory,
      `bax-go-toolchain-${layerDigest({ recipe: RECIPE, version: VERSION }).slice(0, 32)}`,
      (draft) => fetchToolchain(draft, { root, fetching }, options),
    );
    return { version: VERSION, root: join(layer, 'go'), fetching };
  } catch (error) {
    if (!AssayError.is(error) || error.code !== 'LANE_FAILED') throw error;
    options.progress?.(`${VERSION} cannot be had, so that ${version} serves: ${error.message}`);
    return { version, root, fetching };
  }
}

async function fetchToolchain(
  draft: string,
  { root, fetching }: Omit<GoTools, 'version'>,
  options: PrepareOptions,
): Promise<void> {
  const env = {
    ...fetching,
    PATH: `${HOST_GO}/bin:/usr/bin:/bin`,
    GOTOOLCHAIN: VERSION,
    GOMODCACHE: '/tmp/mod',
    GOENV: 'off',
    GOTELEMETRY: 'off',
  };
  await withHostNetwork(
    { ...options, env, mounts: [{ kind: 'read-only', source: root, target: HOST_GO }] },
    async (box) => {
      await box.run(
        `fetching ${VERSION}`,
        `go version && chmod -R u+w /tmp/mod && mv /tmp/mod/golang.org/toolchain@*-${VERSION}.* /tmp/go`,
      );
      await box.exportTo('/tmp/go', join(draft, 'go'));
    },
  );
}
