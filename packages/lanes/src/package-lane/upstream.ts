import { readFile } from 'node:fs/promises';
import { AssayError } from '@assay/protocol';
import { npmAuthorization, readNpmSettings, scopedRegistries } from './npm/npm-settings.ts';
import { readPipSettings } from './pypi/pip-settings.ts';
import { runOwnTool } from './run-own-tool.ts';

/** Where a package manager of this machine gets its packages. */
export interface Upstream {
  /** Base address without credentials, ending in a slash. */
  url: URL;
  /** Value of the Authorization header for the index's own origin. */
  authorization?: string;
  /** PEM texts of certificate authorities to trust besides those that Node knows. */
  certificates: string[];
  /** pip's further indexes, whose files stand beside those of the first. */
  extra?: Upstream[];
  /** Registries that npm's scopes, such as `@company`, have of their own. */
  scopes?: ReadonlyMap<string, Upstream>;
}

/** Bundles of certificate authorities where Linux distributions keep them. */
const SYSTEM_BUNDLES = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/cert.pem'];

/** Prints the index that pip uses when nobody configured one; Debian's python3 carries pip only as a wheel. */
const PIP_DEFAULT = `
import glob, sys
try:
    import pip
except ImportError:
    sys.path[:0] = glob.glob('/usr/share/python-wheels/pip-*.whl')
    try:
        import ensurepip, os
        sys.path[:0] = glob.glob(os.path.join(os.path.dirname(ensurepip.__file__), '_bundled', 'pip-*.whl'))
    except ImportError:
        pass
from pip._internal.models.index import PyPI
print(PyPI.simple_url)
`;
const PYTHONS = ['python3', '/usr/bin/python3', 'python'];

const known = new Map<string, Promise<Upstream>>();

/**
 * The upstream that this machine's own pip or npm is configured for; asked once a process. Throws `UPSTREAM_UNKNOWN`
 * when there is no package manager to ask, or its answer is no http address.
 */
export function discoverUpstream(kind: 'pypi' | 'npm'): Promise<Upstream> {
  let upstream = known.get(kind);
  if (!upstream) {
    upstream = kind === 'pypi' ? pypiUpstream(process.env) : npmUpstream(process.env);
    known.set(kind, upstream);
    upstream.catch(() => known.delete(kind));
  }
  return upstream;
}

/** As `discoverUpstream('pypi')`, for a given environment, not remembered. */
export async function pypiUpstream(environment: NodeJS.ProcessEnv): Promise<Upstream> {
  const settings = await readPipSettings(environment);
  if (settings.noIndex)
    throw new AssayError('UPSTREAM_UNKNOWN', { lane: 'pypi', detail: 'pip is configured to use no index (no-index)' });
  const address =
    settings.indexUrl ??
    (await firstOf(PYTHONS.map((python) => () => firstLine([python, '-c', PIP_DEFAULT], environment))));
  if (!address)
    throw new AssayError('UPSTREAM_UNKNOWN', {
      lane: 'pypi',
      detail: 'no pip was found. Install python3-pip or set PIP_INDEX_URL',
    });
  const certificates = await readBundles([settings.certificate, ...commonBundles(environment)]);
  const extra = settings.extraIndexUrls.map((other) => parseUpstream('pypi', other, certificates));
  return { ...parseUpstream('pypi', address, certificates), ...(extra.length === 0 ? {} : { extra }) };
}

/** As `discoverUpstream('npm')`, for a given environment, not remembered. */
export async function npmUpstream(environment: NodeJS.ProcessEnv): Promise<Upstream> {
  const settings = await readNpmSettings(environment);
  const certificates = await readBundles([settings.get('cafile'), ...commonBundles(environment)]);
  const upstreamAt = (address: string): Upstream => {
    const upstream = parseUpstream('npm', address, certificates);
    const authorization = npmAuthorization(settings, upstream.url) ?? upstream.authorization;
    return { ...upstream, ...(authorization === undefined ? {} : { authorization }) };
  };
  const scopes = new Map([...scopedRegistries(settings)].map(([scope, address]) => [scope, upstreamAt(address)]));
  return { ...upstreamAt(settings.get('registry') ?? ''), ...(scopes.size === 0 ? {} : { scopes }) };
}

/** Takes credentials out of an address, so that nothing that is printed or passed on can hold them. */
export function parseUpstream(lane: 'pypi' | 'npm', address: string, certificates: string[]): Upstream {
  const url = URL.parse(address);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new AssayError('UPSTREAM_UNKNOWN', { lane, detail: 'the configured index is no http or https address' });
  }
  const { username, password } = url;
  url.username = '';
  url.password = '';
  url.search = '';
  url.hash = '';
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  if (!username && !password) return { url, certificates };
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { url, certificates, authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

const commonBundles = (environment: NodeJS.ProcessEnv): Array<string | undefined> => [
  environment['NODE_EXTRA_CA_CERTS'],
  environment['SSL_CERT_FILE'],
  ...SYSTEM_BUNDLES,
];

async function readBundles(paths: Array<string | null | undefined>): Promise<string[]> {
  const certificates = new Set<string>();
  for (const path of new Set(paths)) {
    if (!path) continue;
    const text = await readFile(path, 'utf8').catch(() => '');
    for (const [certificate] of text.matchAll(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g))
      certificates.add(certificate);
  }
  return [...certificates];
}

async function firstLine(argv: string[], environment: NodeJS.ProcessEnv): Promise<string | null> {
  const line = (await runOwnTool(argv, environment))?.split('\n')[0]?.trim();
  return line || null;
}

async function firstOf(attempts: Array<() => Promise<string | null>>): Promise<string | null> {
  for (const attempt of attempts) {
    const answer = await attempt();
    if (answer) return answer;
  }
  return null;
}
