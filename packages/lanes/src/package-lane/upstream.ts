import { readFile } from 'node:fs/promises';
import { AssayError } from '@assay/protocol';

/** The index from which a package manager of this machine gets its packages. */
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

/** Removes credentials from an address before it is printed or passed on. */
export function parseUpstream(lane: string, address: string, certificates: string[]): Upstream {
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

/** Bundles of certificate authorities that the environment and the system name. */
export const commonBundles = (environment: NodeJS.ProcessEnv): Array<string | undefined> => [
  environment['NODE_EXTRA_CA_CERTS'],
  environment['SSL_CERT_FILE'],
  ...SYSTEM_BUNDLES,
];

/** Reads the certificates in those of the files that exist. */
export async function readBundles(paths: Array<string | null | undefined>): Promise<string[]> {
  const certificates = new Set<string>();
  for (const path of new Set(paths)) {
    if (!path) continue;
    const text = await readFile(path, 'utf8').catch(() => '');
    for (const [certificate] of text.matchAll(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g))
      certificates.add(certificate);
  }
  return [...certificates];
}
