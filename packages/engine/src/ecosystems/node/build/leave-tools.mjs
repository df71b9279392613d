// Runs inside the build sandbox. Takes development tools that no test loads out of a manifest: linters, formatters and
// what publishes. Called as: leave-tools.mjs TREE
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TOOLS =
  /^(?:@[\w.-]+\/)?(?:eslint|eslint-(?:config|plugin|formatter)(?:-.+)?|stylelint.*|prettier|prettier-plugin-.+|xo|standard|semistandard|tsd|dtslint|tslint.*|husky|lint-staged|commitlint|cli-commitlint|commitizen|evalmd|eclint|editorconfig.*|npmignore|in-publish|safe-publish-latest|auto-changelog|aud|np|release-it|semantic-release|changelogen|standard-version|conventional-changelog.*|size-limit|bundlesize|publint|attw|are-the-types-wrong|cspell|remark-cli|markdownlint.*|typedoc.*|jsdoc|docdash|gh-pages|all-contributors-cli|nyc|c8|coveralls|codecov)$/;

const path = join(process.argv[2], 'package.json');
const manifest = JSON.parse(readFileSync(path, 'utf8'));
const left = Object.keys(manifest.devDependencies ?? {}).filter((name) => TOOLS.test(name));
for (const name of left) delete manifest.devDependencies[name];
writeFileSync(path, JSON.stringify(manifest, null, 2));
process.stdout.write(left.join(' '));
