/** Roles of reStructuredText that lead somewhere; what others hold is code. */
const REFERENCE_ROLE = /^(?:issues?|pr|prs|pull|pulls|gh|gh-?\w+|bug|ticket|bpo|mr|merge|bp)$/;
const ROLE = /(?<![\w`:]):?(?::|\{)([a-z][\w+-]*(?::[a-z][\w+-]*)?)[:}]`([^`]+)`/g;

/** Turns the inline markup of reStructuredText and MyST into that of Markdown: roles, and code between two backticks. */
export function plainRoles(text: string): string {
  return text
    .replace(ROLE, (_, role: string, content: string) => plainRole(role, content))
    .replace(/(?<!`)``(?!`)((?:[^`]|`(?!`))+?)``(?!`)/g, (_, code: string) => `\`${code.trim()}\``);
}

function plainRole(role: string, content: string): string {
  const [title = '', target] = content.split(/\s*<|>$/);
  if (REFERENCE_ROLE.test(role) || /^#?\d+$/.test(title))
    return /^\d+$/.test(title) ? `#${title}` : title.startsWith('#') ? title : `commit ${title}`;
  if (role === 'user' || role === 'author') return `@${title.replace(/^@/, '')}`;
  if (/^(?:commit|sha|cve|cwe)$/.test(role)) return `${role} ${title}`;
  if (/^(?:pypi|doc|ref|term|abbr)$/.test(role)) return title;
  if (target !== undefined && target !== '') return title;
  return `\`${title.startsWith('~') ? (title.split('.').at(-1) ?? title) : title.replace(/^!/, '')}\``;
}
