// Runs inside the build sandbox. Makes every dependency on the project itself resolve to the archive that `npm pack`
// made of it. Called as: override-self.mjs TREE PACKED
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [tree, packed] = process.argv.slice(2);
const path = join(tree, 'package.json');
const manifest = JSON.parse(readFileSync(path, 'utf8'));
const archive = readdirSync(packed).find((name) => name.endsWith('.tgz'));
manifest.overrides = { ...manifest.overrides, [manifest.name]: `file:${join(packed, archive)}` };
writeFileSync(path, JSON.stringify(manifest, null, 2));
