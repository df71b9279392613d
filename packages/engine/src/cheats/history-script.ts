/**
 * `sh` functions for attacks on the history: `g` is git, `take` reads ids of commits and checks out each whose tree is
 * another than that of HEAD.
 */
const HISTORY = `g() { git -c safe.directory=/workspace "$@"; }
take() {
  while read -r id; do
    [ "$(g rev-parse "$id^{tree}")" = "$(g rev-parse 'HEAD^{tree}')" ] || g checkout "$id" -- .
  done; true
}
`;

/** Returns a script that takes the commits that a command lists, one id a line. `g` is git. */
export const takeCommits = (list: string): string => `${HISTORY}{ ${list}\n} 2>/dev/null | take`;

/** `sh` code that keeps the ids in a text. */
export const IDS_ONLY = "grep -o -E '[0-9a-f]{40,64}' | sort -u";
