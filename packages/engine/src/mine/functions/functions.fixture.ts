import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bubblewrapProvider } from '@assay/sandbox';
import { RepositoryBuilder } from '@assay/testkit';
import { importRepository, type ImportedRepository } from '../../git/import-repository.ts';
import type { MineContext } from '../mine-context.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';

const SHORTEN = `  const words = text.trim().split(/\\s+/);
  const parts = [];
  for (const word of words) {
    if (parts.length > 0 && parts.join(' ').length + word.length + 1 > width) break;
    parts.push(word.toLowerCase());
  }
  const joined = parts.join(' ');
  return parts.length < words.length ? joined + mark : joined;
`;
/** The function that problems are made of. */
export const SHORTEN_SOURCE = `/** Shortens a text to whole words, with a mark where some are left out. */
exports.shorten = (text, width = 12, mark = '...') => {
${SHORTEN}};
`;
export const TEXT_SOURCE = `${SHORTEN_SOURCE}
/** Counts vowels. */
exports.vowels = function vowels(text) {
  let count = 0;
  for (const letter of text) {
    if ('aeiou'.includes(letter)) count += 1;
    else if (letter === 'y') count += 0.5;
  }
  return count;
};

exports.now = (format) => {
  const date = new Date();
  if (format === 'year') return date.getFullYear();
  if (format === 'month') return date.getMonth();
  return format ? String(date) : date.getTime();
};

exports.tiny = (a) => {
  return a;
};
`;
export const COPY = `'use strict';
function abbreviate(text, width = 12, mark = '...') {
${SHORTEN}}
exports.label = (text) => abbreviate(text, 20, '');
`;
const TESTS = `const { test } = require('node:test');
const assert = require('node:assert');
const { shorten, vowels } = require('../lib/text.js');

for (const [text, expected] of [['The quick brown fox', 'the quick...'], ['short', 'short'], ['', '']])
  test('shortens ' + text, () => assert.strictEqual(shorten(text), expected));
test('takes a width', () => assert.strictEqual(shorten('One two three', 7, '~'), 'one two~'));
test('counts', () => assert.strictEqual(vowels('syllable'), 2.5));
`;
const PYTHON = `"""Words."""

__all__ = ["initials", "wrap"]


def initials(name, dots=True):
    """Initials of a name.

    >>> initials("ada lovelace")
    'A.L.'
    """
    letters = []
    for part in name.split():
        if part[0].isalpha():
            letters.append(part[0].upper())
    return "".join(each + "." for each in letters) if dots else "".join(letters)


def wrap(words, width: int = 3):
    # how many words stand on a line
    lines = []
    for index, word in enumerate(words):
        if index % width == 0:
            lines.append([])
        lines[-1].append(word)
    return lines


def hidden(a):
    for each in a:
        if each or a:
            return each
    return None
`;

/** A small repository with functions of both languages, and everything that the stages need to make tasks of them. */
export class FunctionsFixture {
  readonly directory: string;
  readonly builder: RepositoryBuilder;
  readonly repository: ImportedRepository;
  readonly context: MineContext;

  private constructor(
    directory: string,
    builder: RepositoryBuilder,
    repository: ImportedRepository,
    pipeline: Pipeline,
  ) {
    this.directory = directory;
    this.builder = builder;
    this.repository = repository;
    this.context = {
      pipeline,
      repository,
      provider: bubblewrapProvider(),
      model: null,
      cacheDirectory: join(directory, 'cache'),
      specificity: 'tell',
      minKilled: 0.5,
      mutantsAtOnce: 2,
    };
  }

  /** Makes the fixture; `files` are added to those of the head. */
  static async make(pipeline: Pipeline, files: Record<string, string> = {}): Promise<FunctionsFixture> {
    const directory = await mkdtemp(join(tmpdir(), 'assay-functions-'));
    const builder = await RepositoryBuilder.create(join(directory, 'words'));
    const all = {
      'package.json': JSON.stringify({ name: 'words', version: '1.0.0', scripts: { test: 'node --test' } }),
      'lib/text.js': TEXT_SOURCE,
      'test/text.test.js': TESTS,
      'words/names.py': PYTHON,
      ...files,
    };
    // Tests that older interpreters run cannot be taken apart.
    await builder.commit('First version', all, { date: new Date('2025-06-02T12:00:00Z') });
    const repository = await importRepository(builder.directory, join(directory, 'cache'));
    return new FunctionsFixture(directory, builder, repository, pipeline);
  }

  async dispose(): Promise<void> {
    await this.repository.dispose();
    await rm(this.directory, { recursive: true, force: true });
  }
}
