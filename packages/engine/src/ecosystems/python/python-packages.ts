import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PackageFacet } from '../package-facet.ts';
import { declaredLicence } from './declared-licence.ts';
import { pipInBox } from './pip-in-box.ts';
import { VENV } from './python-mounts.ts';

export const pythonPackages: PackageFacet = {
  index: 'pypi',
  osvNames: ['pypi'],
  manifests: /(?:^|\/)(?:pyproject\.toml|setup\.cfg|setup\.py|__init__\.py)$/,
  licence: declaredLicence,
  installers: pipInBox,
  async installedAt(environment) {
    const layer = environment.mounts({ writable: true }).find((mount) => mount.target === VENV);
    const source = layer?.kind === 'layers' ? layer.sources[0] : undefined;
    const versions = source ? await readdir(join(source, 'lib')) : [];
    return `${VENV}/lib/${versions.find((name) => name.startsWith('python')) ?? 'python3'}/site-packages`;
  },
};
