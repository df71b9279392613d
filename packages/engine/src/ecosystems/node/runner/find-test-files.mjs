import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { findNodeTests } from './find-node-tests.mjs';

/** What `tap` takes when no file is named. */
const OF_TAP = /(^|\/)(?:(?:tests?|__tests__)\/.+|tests?|[^/]+[._-](?:test|spec|tests|specs))\.(?:[cm]?[jt]s|[jt]sx)$/;
const NOT_OF_TAP = /(^|\/)(?:tap-snapshots|fixtures|\.tap|tap-testdir-[^/]*)\/|\.d\.[cm]?ts$/;

/** Test files of a runner that runs each in a process of its own, relative to the tree, sorted. */
export function findTestFiles(runner, root, { patterns, flags }) {
  if (patterns.length > 0) return findNodeTests(root, patterns);
  if (runner === 'jasmine') return findNodeTests(root, jasminePatterns(root, flags));
  if (runner !== 'tap') return findNodeTests(root, []);
  const configured = tapPatterns(root);
  if (configured.length > 0) return findNodeTests(root, configured);
  return findNodeTests(root, ['**/*']).filter((file) => OF_TAP.test(file) && !NOT_OF_TAP.test(file));
}

/** The globs of jasmine's configuration, as far as that is data. */
function jasminePatterns(root, flags) {
  const named = flags.find((flag) => flag.startsWith('--config='))?.slice('--config='.length);
  const { spec_dir: directory = 'spec', spec_files: files = ['**/*[sS]pec.?(m)js'] } = readJson(
    join(root, named ?? 'spec/support/jasmine.json'),
  );
  return [files]
    .flat()
    .filter((each) => typeof each === 'string' && !each.startsWith('!'))
    .map((each) => posix.join(String(directory), each));
}

function tapPatterns(root) {
  const { files, 'test-files': testFiles, include } = readJson(join(root, 'package.json')).tap ?? {};
  return [files ?? testFiles ?? include ?? []].flat().filter((each) => typeof each === 'string');
}

function readJson(path) {
  try {
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) ?? {}) : {};
  } catch {
    return {};
  }
}
