import { readManifests, toolTable } from './read-manifests.ts';

/** What trove classifiers call licences, in the words of SPDX. Those that name no version are not here. */
const CLASSIFIERS: Readonly<Record<string, string>> = {
  'MIT License': 'MIT',
  'Apache Software License': 'Apache-2.0',
  'ISC License (ISCL)': 'ISC',
  'Mozilla Public License 2.0 (MPL 2.0)': 'MPL-2.0',
  'GNU General Public License v2 (GPLv2)': 'GPL-2.0-only',
  'GNU General Public License v2 or later (GPLv2+)': 'GPL-2.0-or-later',
  'GNU General Public License v3 (GPLv3)': 'GPL-3.0-only',
  'GNU General Public License v3 or later (GPLv3+)': 'GPL-3.0-or-later',
  'GNU Lesser General Public License v3 (LGPLv3)': 'LGPL-3.0-only',
  'GNU Affero General Public License v3': 'AGPL-3.0-only',
  'The Unlicense (Unlicense)': 'Unlicense',
};

/** The licence that the manifests of a tree state: pyproject.toml, setup.cfg, else a classifier of theirs. */
export async function declaredLicence(tree: string): Promise<string | null> {
  const { pyproject, setupCfg } = await readManifests(tree);
  const poetry = toolTable(pyproject, 'poetry')['license'];
  const stated = pyproject.project?.license ?? poetry ?? setupCfg.get('metadata')?.get('license');
  if (typeof stated === 'string' && stated.trim() !== '' && !/^file:|\n/.test(stated.trim())) return stated.trim();
  const classifiers = [
    ...(pyproject.project?.classifiers ?? []),
    ...(setupCfg.get('metadata')?.get('classifiers') ?? '').split('\n'),
  ].filter((line) => line.startsWith('License ::'));
  const [only, another] = classifiers.map((line) => CLASSIFIERS[line.split('::').at(-1)?.trim() ?? '']);
  return another === undefined ? (only ?? null) : null;
}
