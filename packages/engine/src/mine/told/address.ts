/** What an address of a code host leads to. */
export interface HostAddress {
  /** `host/owner/name` in small letters; GitLab's groups may lie within each other. */
  repository: string;
  /** Null for the repository itself. */
  thing: { kind: 'pull' | 'issue'; number: number } | { kind: 'commit'; commit: string } | null;
}

const MAX_ADDRESS = 2048;
const PULL = 'pull|pulls|pull-requests|merge_requests';
const ISSUE = 'issues|work_items';
const THING = new RegExp(
  String.raw`^(/.+?)/(?:-/)?(?:(${PULL})/(\d{1,9})|(${ISSUE})/(\d{1,9})|commits?/([0-9a-f]{7,40}))(?:\.(?:diff|patch))?(?:/.*)?$`,
  'i',
);

/**
 * Reads an address of a repository, a pull request, an issue or a commit, for people or for programs, as GitHub, GitLab,
 * Gitea, Forgejo and Bitbucket write them. Null for anything else.
 */
export function readAddress(text: string): HostAddress | null {
  const url = text.length > MAX_ADDRESS ? null : URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const path = url.pathname
    .replace(/\/+/g, '/')
    .replace(/^\/api\/v[1-5](?=\/)/, '')
    .replace(/^\/repos(?=\/)/, '');
  const match = THING.exec(path);
  const repository = keyOf(url.hostname, match?.[1] ?? path);
  if (repository === null) return null;
  const [, , isPull, pull, , issue, commit] = match ?? [];
  if (commit !== undefined) return { repository, thing: { kind: 'commit', commit: commit.toLowerCase() } };
  const number = Number(pull ?? issue ?? 0);
  if (match && number === 0) return null;
  return { repository, thing: match ? { kind: isPull === undefined ? 'issue' : 'pull', number } : null };
}

/** `host/owner/name` of the address of a repository, in any form that git takes; null for other things. */
export function repositoryOf(address: string): string | null {
  const match = /^(?:\w+(?:\+\w+)?:\/\/(?:[^@/]*@)?([\w.-]+)(?::\d+)?\/|git@([\w.-]+):)([^/\s]+\/[^\s#?]+)/.exec(
    address,
  );
  return match ? keyOf(match[1] ?? match[2] ?? '', `/${match[3]}`) : null;
}

function keyOf(host: string, path: string): string | null {
  const names = path
    .replace(/\/$/, '')
    .replace(/\.git$/i, '')
    .slice(1)
    .split('/');
  if (names.length < 2 || names.some((name) => name === '')) return null;
  return `${host.replace(/^(?:www|api)\./i, '')}/${names.join('/')}`.toLowerCase();
}
