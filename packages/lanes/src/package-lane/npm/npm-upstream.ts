import { commonBundles, parseUpstream, readBundles, type Upstream } from '../upstream.ts';
import { npmAuthorization, readNpmSettings, scopedRegistries } from './npm-settings.ts';

/** Finds the registry that npm is configured for. Throws `UPSTREAM_UNKNOWN`. */
export async function npmUpstream(environment: NodeJS.ProcessEnv): Promise<Upstream> {
  const settings = await readNpmSettings(environment);
  const certificates = await readBundles([settings.get('cafile'), ...commonBundles(environment)]);
  const upstreamAt = (address: string): Upstream => {
    const upstream = parseUpstream('npm', address, certificates);
    const authorization = npmAuthorization(settings, upstream.url) ?? upstream.authorization;
    return { ...upstream, authorization };
  };
  const scopes = new Map([...scopedRegistries(settings)].map(([scope, address]) => [scope, upstreamAt(address)]));
  return { ...upstreamAt(settings.get('registry') ?? ''), scopes: scopes.size === 0 ? undefined : scopes };
}
