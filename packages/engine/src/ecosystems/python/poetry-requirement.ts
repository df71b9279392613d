import { isTable } from './read-manifests.ts';

/** Converts a dependency in poetry's notation to PEP 508; null for one that comes from no index. */
export function poetryRequirement(name: string, value: unknown): string | null {
  if (typeof value === 'string') return `${name}${poetryVersions(value)}`;
  if (Array.isArray(value)) return value.length > 0 ? name : null;
  if (!isTable(value) || 'git' in value || 'path' in value || 'url' in value || value['optional'] === true) return null;
  const extras = Array.isArray(value['extras'])
    ? `[${value['extras'].filter((extra) => typeof extra === 'string').join(',')}]`
    : '';
  const versions = typeof value['version'] === 'string' ? poetryVersions(value['version']) : '';
  const markers = [
    typeof value['markers'] === 'string' ? value['markers'] : '',
    typeof value['python'] === 'string' ? pythonMarker(value['python']) : '',
  ].filter(Boolean);
  const condition = markers.map((marker) => `(${marker})`).join(' and ');
  return `${name}${extras}${versions}${condition === '' ? '' : ` ; ${condition}`}`;
}

/** Converts carets, tildes and wildcards to PEP 440 specifiers. */
export function poetryVersions(text: string): string {
  if (text.includes('||')) return '';
  return text
    .split(',')
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '' && clause !== '*')
    .map(clauseVersions)
    .join(',');
}

function clauseVersions(clause: string): string {
  const match = /^(\^|~(?!=))\s*(\d+(?:\.\d+)*)(\S*)$/.exec(clause);
  if (!match?.[2]) return /^\d/.test(clause) ? `==${clause}` : clause.replace(/\s+/g, '');
  const [, operator, version, suffix] = match;
  const numbers = version.split('.').map(Number);
  const significant = numbers.findIndex((number) => number !== 0);
  const place =
    operator === '^' ? (significant === -1 ? numbers.length - 1 : significant) : Math.min(1, numbers.length - 1);
  const upper = numbers.slice(0, place + 1).map((number, index) => (index === place ? number + 1 : number));
  return `>=${version}${suffix},<${upper.join('.')}`;
}

function pythonMarker(text: string): string {
  const versions = poetryVersions(text);
  return versions
    .split(',')
    .filter(Boolean)
    .map((clause) => {
      const match = /^(>=|<=|==|!=|>|<|~=)(.+)$/.exec(clause);
      return match ? `python_full_version ${match[1]} '${match[2]}'` : '';
    })
    .filter(Boolean)
    .join(' and ');
}
