import { defineCommand } from '../command.ts';

const standardArgument = { name: 'standard', description: 'a file, a CID, ipfs:// or https://' } as const;

export const standardNew = defineCommand({
  name: 'standard new',
  summary: 'write a good example of a standard',
  description: 'Prints it, or writes it to a new file. Types: test_cases, judge_prompt, checklist, composite.',
  example: 'assay standard new test_cases --out standard.json',
  arguments: [{ name: 'type', description: 'test_cases, judge_prompt, checklist or composite' }],
  options: { out: { kind: 'text', value: 'FILE', description: 'a new file (default: standard output)' } },
  async run({ type, out }) {
    const { newStandard } = await import('@assay/judging/standard-documents');
    const { Standard } = await import('@assay/protocol');
    const { text, type: written } = await newStandard(type, out);
    return {
      exitCode: 0,
      document: out === undefined ? Standard.parse(JSON.parse(text)) : { type: written, file: out },
      render: () => (out === undefined ? text : `Wrote ${out}\n`),
    };
  },
});

export const standardValidate = defineCommand({
  name: 'standard validate',
  summary: 'check an evaluation document',
  description:
    'Names every place in the document that is wrong, and what was expected there. Exits 1 when anything is.',
  example: 'assay standard validate standard.json',
  arguments: [standardArgument],
  options: {},
  async run({ standard: reference }, { signal }) {
    const { validateStandard } = await import('@assay/judging/standard-documents');
    const { standard, problems, sha256 } = await validateStandard(reference, signal);
    return {
      exitCode: problems ? 1 : 0,
      document: problems ? { valid: false, sha256, problems } : { valid: true, sha256, type: standard.type },
      render: (terminal) =>
        problems
          ? [terminal.style('red', 'not valid'), ...problems.map((each) => `  ${terminal.foreign(each)}`), ''].join(
              '\n',
            )
          : `${terminal.style('green', 'valid')} (${standard.type})\n`,
    };
  },
});

export const standardShow = defineCommand({
  name: 'standard show',
  summary: 'show what a solver may see of a standard',
  description: 'Expected values and the commands of probes are left out, unless --full asks for all of it.',
  example: 'assay standard show standard.json',
  arguments: [standardArgument],
  options: { full: { kind: 'flag', description: 'the whole document, expected values included' } },
  async run({ standard: reference, full }, { signal }) {
    const { showStandard } = await import('@assay/judging/standard-documents');
    const { standard, view } = await showStandard(reference, signal);
    const text = full ? `${JSON.stringify(standard, null, 2)}\n` : view;
    return {
      exitCode: 0,
      document: full ? standard : { type: standard.type, view },
      render: (terminal) => text.split('\n').map(terminal.foreign).join('\n'),
    };
  },
});

export const standardAdd = defineCommand({
  name: 'standard add',
  summary: 'store a standard and print its CID',
  description:
    'Checks the document, and keeps its bytes in the content store of this machine and on the Kubo node that ' +
    'ASSAY_IPFS_API names. The CID is the one that `ipfs add --cid-version=1` gives.',
  example: 'assay standard add standard.json',
  arguments: [standardArgument],
  options: {},
  async run({ standard }, { signal }) {
    const { addStandard } = await import('@assay/judging/standard-documents');
    const added = await addStandard(standard, signal);
    return { exitCode: 0, document: added, render: () => `${added.cid}\n` };
  },
});
