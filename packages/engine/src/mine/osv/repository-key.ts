const SCHEMES = new Set(['https:', 'http:', 'git:', 'ssh:', 'git+https:', 'git+http:', 'git+ssh:']);
const MAX_ADDRESS = 2048;

/** What a link of a code host names: `pull` and `commit` at most one of them. */
export interface CodeLink {
  repository: string;
  commit?: string;
  pull?: number;
}

/**
 * A repository's address in one spelling, `host/owner/name`: without scheme, user, port of the scheme, `www.`, `.git`, last slash, query and case. Null
 * for what is no address of a repository: other schemes, remote helpers, option look-alikes, paths, control characters.
 */
export function repositoryKey(address: string): string | null {
  const url = addressUrl(address);
  if (url === null) return null;
  const path = url.pathname
    .replace(/\/+/g, '/')
    .replace(/\/$/, '')
    .replace(/\.git$/i, '');
  return path.length > 1 ? `${url.host.replace(/^www\./, '')}${path}`.toLowerCase() : null;
}

/** The commit or pull request that a link leads to, and of which repository; null for all other links. */
export function codeLink(address: string): CodeLink | null {
  const url = addressUrl(address);
  if (url === null) return null;
  const match =
    /^(\/.+?)\/(?:-\/)?(?:(?:pull|pulls|pull-requests|merge_requests)\/(\d{1,9})(?:\/commits\/([0-9a-f]{7,40}))?|commits?\/([0-9a-f]{7,40}))(?:\.(?:diff|patch))?(?:\/.*)?$/i.exec(
      url.pathname,
    );
  const repository = match?.[1] === undefined ? null : repositoryKey(`https://${url.host}${match[1]}`);
  if (match === null || repository === null) return null;
  const commit = match[3] ?? match[4];
  return { repository, ...(commit !== undefined ? { commit: commit.toLowerCase() } : { pull: Number(match[2]) }) };
}

function addressUrl(address: string): URL | null {
  if (
    address.length > MAX_ADDRESS ||
    /[\p{Cc}\s\\]/u.test(address) ||
    address.startsWith('-') ||
    /^[\w+.-]*::/.test(address)
  )
    return null;
  const scp = /^(?:[\w.-]+@)?([A-Za-z0-9][\w.-]*\.[A-Za-z]{2,}):(?!\/\/)([\w.~-][\w./~-]*)$/.exec(address);
  const url = URL.parse(scp ? `ssh://${scp[1]}/${scp[2]}` : address);
  if (url === null || !SCHEMES.has(url.protocol) || !/^[a-z0-9[]/i.test(url.hostname)) return null;
  // `git+https` and the like are no schemes whose hosts are read in one way.
  return URL.parse(`https://${url.host}${url.pathname}`);
}
