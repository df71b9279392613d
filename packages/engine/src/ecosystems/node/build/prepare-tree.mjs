// Runs inside the build sandbox. Makes a copied tree installable: what would ask another registry or publish is taken
// out. Called as: prepare-tree.mjs TREE ORIGIN
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [tree, origin] = process.argv.slice(2);
/** Scripts that make what is published; their output is no part of an environment. */
const PUBLISHING = ['prepare', 'prepublish', 'preprepare', 'postprepare', 'prepublishOnly'];

function edit(name, change) {
  const path = join(tree, name);
  if (existsSync(path)) writeFileSync(path, change(readFileSync(path, 'utf8')));
}

edit('package.json', (text) => {
  const manifest = JSON.parse(text.replace(/^\uFEFF/, ''));
  for (const name of PUBLISHING) if (manifest.scripts) delete manifest.scripts[name];
  // Managers would fetch the very version of themselves that stands here.
  delete manifest.packageManager;
  delete manifest.devEngines;
  return JSON.stringify(manifest, null, 2);
});
for (const name of ['.npmrc', '.yarnrc']) {
  edit(name, (text) =>
    text
      .split('\n')
      .filter((line) => !/registry|^\s*\/\/|_auth|proxy|cafile|^\s*engine-strict|^\s*yarn-path/i.test(line))
      .join('\n'),
  );
}
edit('yarn.lock', (text) =>
  text.replace(/^(\s+resolved ")https?:\/\/[^/"]+\/(?=(?:@[^/"]+(?:\/|%2f))?[^/"]+\/-\/)/gim, `$1${origin}/`),
);
edit('pnpm-lock.yaml', (text) => text.replace(/(tarball:\s*)https?:\/\/[^/\s,}]+\/(?=\S+\/-\/)/g, `$1${origin}/`));
