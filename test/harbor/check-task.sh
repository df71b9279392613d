#!/usr/bin/env bash
# Runs one task bundle with the real Harbor: its oracle agent must be rewarded 1, its nop agent 0. Needs root and Docker; takes about
# a minute, and is no part of the normal tests.
#
#   HARBOR_HERE=/path/to/harbor-here H=/tmp/harbor-here test/harbor/check-task.sh TASK_DIR
#
# HARBOR_HERE: the command that runs Harbor (default: `harbor`). H: a directory that Harbor's containers can mount.
# The base image of the task has to be there or within reach of Docker; else see base-image.sh.
# Prints `oracle R nop R` and exits 0 when these are 1 and 0; 1 otherwise; 2 on bad use. Job directories stay under $H/jobs.
set -euo pipefail

[ $# -eq 1 ] && [ -f "$1/task.toml" ] || { sed -n "2,10p" "$0" >&2; exit 2; }
harbor=${HARBOR_HERE:-harbor}
export H=${H:-${TMPDIR:-/tmp}/harbor-here}
name=$(basename "$(realpath "$1")")
run=$name-$$-$(date +%s)
mkdir -p "$H/tasks/$run" "$H/jobs"
trap 'rm -rf "$H/tasks/$run"' EXIT
cp -R "$1" "$H/tasks/$run/$name"

# One line: the reward, or the word `error` with what Harbor says.
reward() {
  "$harbor" run -y -p "$H/tasks/$run/$name" -a "$1" -o "$H/jobs" --job-name "$run-$1" -n 1 -q >"$H/jobs/$run-$1.log" 2>&1 || true
  python3 - "$H/jobs/$run-$1" <<'PYTHON'
import glob, json, sys
results = [json.load(open(path)) for path in glob.glob(sys.argv[1] + "/*/result.json")]
if len(results) != 1:
    print("error(no result)")
else:
    rewards = (results[0].get("verifier_result") or {}).get("rewards")
    problem = results[0].get("exception_info")
    print("error(%s)" % problem["exception_type"] if problem else rewards.get("reward") if rewards else "error(no reward)")
PYTHON
}

oracle=$(reward oracle)
nop=$(reward nop)
echo "oracle $oracle nop $nop"
case "$oracle $nop" in
  "1 0" | "1.0 0.0") exit 0 ;;
  *) echo "logs: $H/jobs/$run-oracle $H/jobs/$run-nop" >&2; exit 1 ;;
esac
