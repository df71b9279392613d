'use strict';
const { existsSync, readFileSync, realpathSync } = require('node:fs');
const { dirname, join, resolve } = require('node:path');

/** Directory and manifest of a package as the first of the test files sees it, else as the repository's root does. */
function findPackage(name, root, files) {
  for (const start of [...files.slice(0, 1).map((file) => dirname(resolve(root, file))), root]) {
    for (let directory = start; ; directory = dirname(directory)) {
      const candidate = join(directory, 'node_modules', name, 'package.json');
      if (existsSync(candidate)) {
        const manifest = JSON.parse(readFileSync(candidate, 'utf8'));
        return { directory: realpathSync(dirname(candidate)), manifest };
      }
      if (dirname(directory) === directory) break;
    }
  }
  throw new Error(`${name} is not installed in ${root}`);
}

module.exports = { findPackage };
