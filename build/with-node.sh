#!/bin/sh
# Runs a program in TypeScript with a Node that takes it: the one on the PATH, else the one that ./assay fetches, with the project's packages.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
takes_typescript='const [a, b] = process.versions.node.split(".").map(Number); process.exit(a >= 24 || (a === 23 && b >= 6) || (a === 22 && b >= 18) ? 0 : 1)'
[ -d "$root/node_modules/typescript" ] || "$root/assay" --version >/dev/null
node=$(command -v node || true)
if [ -z "$node" ] || ! "$node" -e "$takes_typescript"; then
  "$root/assay" --version >/dev/null
  node=$(cat "$root/.assay/node-path")
fi
exec "$node" "$@"
