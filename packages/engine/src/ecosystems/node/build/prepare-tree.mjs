// Runs inside the build sandbox. Makes a copied tree installable: what would ask another registry or publish is taken
// out. Called as: prepare-tree.mjs TREE ORIGIN
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
edit('.yarnrc.yml', (text) => withoutSettings(text));
// It names registries and what bun runs before tests; of an installation it decides nothing else.
rmSync(join(tree, 'bunfig.toml'), { force: true });
edit('bun.lock', (text) => text.replace(/"https?:\/\/[^/"]+\/(?=(?:@[^/"]+(?:\/|%2f))?[^/"]+\/-\/)/gi, `"${origin}/`));
edit('yarn.lock', (text) =>
  text.replace(/^(\s+resolved ")https?:\/\/[^/"]+\/(?=(?:@[^/"]+(?:\/|%2f))?[^/"]+\/-\/)/gim, `$1${origin}/`),
);
edit('pnpm-lock.yaml', (text) => text.replace(/(tarball:\s*)https?:\/\/[^/\s,}]+\/(?=\S+\/-\/)/g, `$1${origin}/`));

/**
 * Of yarn 2 and later, takes out what names registries, where things lie, and programs that would run in place of ours:
 * a setting, and the lines below it that belong to it.
 */
function withoutSettings(text) {
  const taken =
    /^(?:yarnPath|plugins|npm\w*|https?Proxy|httpsCaFilePath|networkSettings|nodeLinker|cacheFolder|globalFolder|enable\w+|checksumBehavior|compressionLevel):/;
  let isTaken = false;
  const kept = text.split('\n').filter((line) => {
    if (/^[A-Za-z]/.test(line)) isTaken = taken.test(line);
    return !isTaken;
  });
  return kept.join('\n');
}
