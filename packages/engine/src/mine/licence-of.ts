import { lstat, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ecosystem } from '../ecosystems/ecosystem.ts';

const MAX_BYTES = 256 * 1024;

/**
 * The licence of a tree as an SPDX expression: what its manifest states, where that is one, else the licence whose text lies
 * at its root. Null where neither is plain: an unknown licence is not a free one.
 */
export async function licenceOf(
  treeDirectory: string,
  { packages }: Pick<Ecosystem, 'packages'>,
): Promise<string | null> {
  const stated = (await packages.licence?.(treeDirectory)) ?? null;
  return (stated === null ? null : asSpdx(stated)) ?? (await ofText(treeDirectory));
}

/** Names that people write for licences of one text, in lower case without punctuation. */
const SPELLINGS: Readonly<Record<string, string>> = {
  mit: 'MIT',
  'mit license': 'MIT',
  'the mit license': 'MIT',
  isc: 'ISC',
  'isc license': 'ISC',
  'apache 20': 'Apache-2.0',
  apache2: 'Apache-2.0',
  apache20: 'Apache-2.0',
  'apache license 20': 'Apache-2.0',
  'apache license version 20': 'Apache-2.0',
  'apache software license 20': 'Apache-2.0',
  'bsd 3clause': 'BSD-3-Clause',
  bsd3clause: 'BSD-3-Clause',
  'bsd 3clause license': 'BSD-3-Clause',
  'bsd 2clause license': 'BSD-2-Clause',
  'mpl 20': 'MPL-2.0',
  mpl20: 'MPL-2.0',
  unlicense: 'Unlicense',
};

/** What a manifest may state as it stands: ids that have a version or none to have, joined by words. */
const ID =
  /^(?:0BSD|AFL-\d\.\d|AGPL-3\.0(?:-only|-or-later)?|Apache-[12]\.\d|Artistic-2\.0|BlueOak-1\.0\.0|BSD-[1-4]-Clause|BSL-1\.0|CC0-1\.0|CC-BY(?:-SA)?-\d\.\d|EPL-[12]\.0|EUPL-1\.\d|GPL-[23]\.0(?:-only|-or-later|\+)?|HPND|ISC|LGPL-[23]\.\d(?:-only|-or-later|\+)?|MIT(?:-0|-CMU)?|MPL-[12]\.\d|NCSA|OFL-1\.1|PSF-2\.0|Python-2\.0|Unlicense|UPL-1\.0|WTFPL|X11|Zlib|ZPL-2\.1)$/;

function asSpdx(stated: string): string | null {
  if (stated.length > 200) return null;
  const ids = stated
    .replace(/[()]/g, ' ')
    .trim()
    .split(/\s+(?:AND|OR)\s+/);
  if (ids.every((id) => ID.test(id))) return stated.trim();
  const spelled = stated
    .toLowerCase()
    .replace(/[^a-z0-9 ]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return SPELLINGS[spelled] ?? null;
}

/** Words that only one licence has, the more particular ones first. */
const TEXTS: readonly [string, RegExp][] = [
  ['Apache-2.0', /apache license,? version 2\.0, january 2004/],
  ['AGPL-3.0-only', /gnu affero general public license version 3, 19 november 2007/],
  ['LGPL-3.0-only', /gnu lesser general public license version 3, 29 june 2007/],
  ['GPL-3.0-only', /gnu general public license version 3, 29 june 2007/],
  ['LGPL-2.1-only', /gnu lesser general public license version 2\.1, february 1999/],
  ['GPL-2.0-only', /gnu general public license version 2, june 1991/],
  ['MPL-2.0', /mozilla public license,? version 2\.0/],
  ['Unlicense', /this is free and unencumbered software released into the public domain/],
  ['BSD-3-Clause', /redistribution and use in source and binary forms.*neither the names? of/],
  ['BSD-2-Clause', /redistribution and use in source and binary forms/],
  ['ISC', /permission to use, copy, modify, and(?:\/or)? distribute this software for any purpose with or without fee/],
  ['MIT', /permission is hereby granted, free of charge.*the above copyright notice and this permission notice/],
];

/** The licence of the one file at the root that is called so; a tree with several is licensed by none of them alone. */
async function ofText(directory: string): Promise<string | null> {
  const names = (await readdir(directory)).filter((name) =>
    /^(?:licen[cs]e|copying)(?:\.(?:md|txt|rst))?$/i.test(name),
  );
  const [name, another] = names;
  if (name === undefined || another !== undefined) return null;
  const path = join(directory, name);
  const entry = await lstat(path).catch(() => null);
  if (!entry?.isFile() || entry.size > MAX_BYTES) return null;
  const text = (await readFile(path, 'utf8')).toLowerCase().replace(/[\s*#"'“”]+/g, ' ');
  return TEXTS.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}
