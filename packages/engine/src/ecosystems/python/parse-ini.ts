/** Section to key to value. A value of several lines keeps them, joined by `\n`. */
export type Ini = Map<string, Map<string, string>>;

/** Parses the dialect of Python's configparser that setup.cfg and tox.ini use. Interpolations stay as they are. */
export function parseIni(text: string): Ini {
  const sections: Ini = new Map();
  let section = new Map<string, string>();
  let key: string | null = null;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*[#;]/.test(line)) continue;
    const header = /^\[([^\]]+)\]\s*$/.exec(line);
    if (header?.[1] !== undefined) {
      section = sections.get(header[1].trim()) ?? new Map();
      sections.set(header[1].trim(), section);
      key = null;
    } else if (/^\s/.test(line) || line === '') {
      if (key !== null && line.trim() !== '')
        section.set(key, `${section.get(key) ?? ''}\n${stripComment(line)}`.trim());
    } else {
      const member = /^([^=:]+?)\s*[=:]\s*(.*)$/.exec(line);
      key = member?.[1]?.trim().toLowerCase() ?? null;
      if (key !== null) section.set(key, stripComment(member?.[2] ?? ''));
    }
  }
  return sections;
}

function stripComment(value: string): string {
  return value.replace(/\s[#;].*$/, '').trim();
}
