import { readFile } from 'node:fs/promises';
import { AssayError } from '@assay/protocol';
import { runCommand } from '@assay/sandbox';

/** Where a package manager of this machine gets its packages. */
export interface Upstream {
  /** Base address without credentials, ending in a slash. */
  url: URL;
  /** Value of the Authorization header for the index's own origin. */
  authorization?: string;
  /** PEM texts of certificate authorities to trust besides those that Node knows. */
  certificates: string[];
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
 * The upstream that this machine's own pip or npm is configured for; asked once a process. Throws `UPSTREAM_UNKNOWN` when there is
 * no package manager to ask, or its answer is no http address.
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
  const address =
    environment['PIP_INDEX_URL'] ??
    (await firstLine(['pip', 'config', 'get', 'global.index-url'], environment)) ??
    (await firstOf(PYTHONS.map((python) => () => firstLine([python, '-c', PIP_DEFAULT], environment))));
  if (!address) throw new AssayError('UPSTREAM_UNKNOWN', { lane: 'pypi', detail: 'no pip was found. Install python3-pip or set PIP_INDEX_URL' });
  const certificate = environment['PIP_CERT'] ?? (await firstLine(['pip', 'config', 'get', 'global.cert'], environment));
  return parseUpstream('pypi', address, await readBundles([certificate, ...commonBundles(environment)]));
}

/** As `discoverUpstream('npm')`, for a given environment, not remembered. */
export async function npmUpstream(environment: NodeJS.ProcessEnv): Promise<Upstream> {
  const address = await firstLine(['npm', 'config', 'get', 'registry'], environment);
  if (!address) throw new AssayError('UPSTREAM_UNKNOWN', { lane: 'npm', detail: 'no npm was found. Install npm' });
  const certificate = await firstLine(['npm', 'config', 'get', 'cafile'], environment);
  return parseUpstream('npm', address, await readBundles([certificate, ...commonBundles(environment)]));
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
    for (const [certificate] of text.matchAll(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g)) certificates.add(certificate);
  }
  return [...certificates];
}

/** Runs outside any repository: an `.npmrc` or a module in the current directory must not steer where packages come from. */
async function firstLine(argv: string[], environment: NodeJS.ProcessEnv): Promise<string | null> {
  const env = Object.fromEntries(Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  try {
    const result = await runCommand(argv, { cwd: '/', env, timeoutMs: 60_000 });
    const line = result.stdout.toString().split('\n')[0]?.trim();
    return result.exitCode === 0 && line && line !== 'undefined' && line !== 'null' ? line : null;
  } catch (error) {
    if (AssayError.is(error) && error.code === 'COMMAND_NOT_FOUND') return null;
    throw error;
  }
}

async function firstOf(attempts: Array<() => Promise<string | null>>): Promise<string | null> {
  for (const attempt of attempts) {
    const answer = await attempt();
    if (answer) return answer;
  }
  return null;
}
