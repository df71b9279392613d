#!/usr/bin/env bash
# Makes stand-ins for the base images of a task where no image registry can be reached: Debian packages, and the interpreter of this
# machine. Leaves alone what is there already.
#
#   HARBOR_HERE=/path/to/harbor-here test/harbor/base-image.sh TASK_DIR
#
# HARBOR_HERE: a command of which `HARBOR_HERE image NAME PACKAGE…` makes a Debian bookworm image. A Python of another series than
# Debian's is taken from ~/.pyenv/versions; node of the wanted major from PATH or Assay's cache.
set -euo pipefail

[ $# -eq 1 ] && [ -f "$1/environment/Dockerfile" ] || { sed -n '2,9p' "$0" >&2; exit 2; }
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT

make_image() {
local image=$1
if docker image inspect "$image" >/dev/null 2>&1; then return; fi

case "$image" in
  python:3.11-*) "$HARBOR_HERE" image "$image" python3 python3-venv python3-pip git ;;
  python:*)
    series=${image#python:}; series=${series%%-*}
    prefix=$(find ~/.pyenv/versions -mindepth 1 -maxdepth 1 -name "$series.*" | sort -V | tail -n 1)
    [ -n "$prefix" ] || { echo "no Python $series in ~/.pyenv/versions" >&2; exit 1; }
    docker image inspect assay-python-base >/dev/null 2>&1 || "$HARBOR_HERE" image assay-python-base git libssl3 libffi8 libsqlite3-0 libreadline8 libbz2-1.0 liblzma5 zlib1g libncursesw6 libexpat1
    cp -R "$prefix" "$context/python"
    # Where the official images have it: the interpreter finds its library from where its program lies.
    printf 'FROM assay-python-base\nCOPY python /usr/local\nRUN ldconfig\n' >"$context/Dockerfile"
    docker build -q -t "$image" "$context" ;;
  node:*)
    major=${image#node:}; major=${major%%-*}
    node=
    for found in $(command -v node) $(find "${ASSAY_CACHE:-$HOME/.cache/assay}/tools" -path '*/bin/node' -type f 2>/dev/null); do
      if "$found" --version | grep -q "^v$major\."; then node=$found; fi
    done
    [ -n "$node" ] || { echo "no node $major on PATH or among Assay's tools" >&2; exit 1; }
    docker image inspect assay-node-base >/dev/null 2>&1 || "$HARBOR_HERE" image assay-node-base git libatomic1 libstdc++6
    cp -L "$node" "$context/node"
    printf 'FROM assay-node-base\nCOPY node /usr/local/bin/node\n' >"$context/Dockerfile"
    docker build -q -t "$image" "$context" ;;
  *) echo "no stand-in for $image" >&2; exit 1 ;;
esac
}

for image in $(cat "$1/environment/Dockerfile" "$1/tests/Dockerfile" | sed -n 's/^FROM //p; s/^COPY --from=\([^ ]*\) .*/\1/p' | sort -u); do make_image "$image"; done
