/** One line of fstab(5). `mount --all` reads many with one process, which a command for each would not. */
export interface FstabEntry {
  source: string;
  target: string;
  type: 'none' | 'overlay' | 'tmpfs';
  options: string;
}

export function formatFstab(entries: FstabEntry[]): string {
  return entries
    .map(({ source, target, type, options }) => `${escape(source)} ${escape(target)} ${type} ${escape(options)} 0 0\n`)
    .join('');
}

function escape(field: string): string {
  return field.replace(/[\s\\#"']/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
