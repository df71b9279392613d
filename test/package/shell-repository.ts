import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const SOURCE = `join_words() {
  separator=$1
  shift
  joined=
  for word in "$@"; do joined="$joined$separator$word"; done
  echo "$joined"
}
`;
const TESTS = `. ./lib/join.sh
test_no_words_are_an_empty_line() {
  [ "$(join_words ,)" = "" ]
}
`;
const NEW_TEST = `
test_a_separator_stands_between_words() {
  [ "$(join_words , a b)" = "a,b" ]
}
`;

/** Makes a repository of shell scripts with a bug. Returns the problem: its statement, and the files that solve it. */
export function buildShellRepository(directory: string): { text: string; files: Record<string, string> } {
  for (const [path, text] of Object.entries({ 'lib/join.sh': SOURCE, 'test/join.test.sh': TESTS })) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  const identity = ['-c', 'user.name=Maintainer', '-c', 'user.email=maintainer@localhost'];
  for (const words of [
    ['init', '--quiet'],
    ['add', '--all'],
    [...identity, 'commit', '--quiet', '-m', 'First version'],
  ])
    spawnSync('git', words, { cwd: directory });
  return {
    text: 'Joined words begin with the separator\n\n`join_words , a b` prints `,a,b` where `a,b` is wanted.',
    files: {
      'lib/join.sh': SOURCE.replace('$joined$separator', '$joined${joined:+$separator}'),
      'test/join.test.sh': TESTS + NEW_TEST,
    },
  };
}
