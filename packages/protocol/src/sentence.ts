import { z } from 'zod';

/** The closed list of places that a sentence of an instruction can come from, one line each. */
export const SENTENCE_SOURCES = {
  message: 'the message of the commit, or of a merge and its commits, or the text that came with the problem',
  changelog: 'an entry that the change adds to a changelog',
  'news fragment': 'a news fragment that the change adds',
  changeset: 'a changeset that the change adds',
  'version note': 'a note in the documentation, such as `versionchanged`, that the change adds',
  'merge title': 'the title of the merge that brought the commit',
  issue: 'the issue that the change mends',
  'pull request': 'the pull request that brought the change',
  advisory: 'a security advisory',
  code: 'the code itself: the place, the signature and the documentation of a function',
  behaviour: 'what the tests observe without the reference solution and with it',
  model: 'a model wrote it',
  interface: 'what hidden tests demand word for word',
} as const;

export type SentenceSource = keyof typeof SENTENCE_SOURCES;

/** A sentence of an instruction, or its title, an item or a block of code, and where it comes from. */
export const Sentence = z.object({
  text: z.string(),
  source: z.enum(Object.keys(SENTENCE_SOURCES) as SentenceSource[]),
});
export type Sentence = z.infer<typeof Sentence>;
