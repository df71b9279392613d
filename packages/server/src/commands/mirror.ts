import { defineCommand } from '../command.ts';

export const mirror = defineCommand({
  name: 'mirror',
  summary: 'run the package lane alone: PyPI and npm as of a date, without some packages',
  description: `Listens on 127.0.0.1 until Ctrl-C and shows pip, uv, npm and pnpm the indexes that this machine is
configured for as they were at a date: every file by its own upload time, dist-tags as they must have been, excluded
packages not at all, every artefact checked by its hash. Prints the settings for each client; each request that is
refused is one line on standard error.`,
  example: 'assay mirror --before 2024-01-31 --exclude requests --port 7001',
  arguments: [],
  options: {
    before: {
      kind: 'date',
      value: 'DATE',
      required: true,
      description: 'nothing uploaded after it is visible; a day begins at 00:00 UTC',
    },
    exclude: {
      kind: 'list',
      value: 'NAME',
      description: 'package that does not exist here, in any spelling; may be repeated',
    },
    port: { kind: 'count', value: 'N', description: 'of 127.0.0.1 (default: a free one)' },
    manifest: {
      kind: 'text',
      value: 'FILE',
      description:
        "package.json of that time: shows whether the registry's dates are the publishers' (docs/package-lane.md)",
    },
  },
  async run({ before, exclude, port, manifest }, { signal, onEvent }) {
    const { runMirror } = await import('@assay/engine/commands/mirror');
    const tell = (text: string): void => onEvent({ type: 'note', item: '', text });
    const document = await runMirror({
      before,
      exclude,
      signal,
      port,
      manifest,
      onOpen: ({ indexes, missing }) => {
        const opened = Object.entries(indexes).flatMap(([id, index]) => (index ? [{ id, ...index }] : []));
        for (const { settings } of opened)
          for (const [client, line] of Object.entries(settings)) tell(`${client}: ${line}`);
        for (const line of missing) tell(line);
        for (const { id, doubts } of opened) {
          if (doubts.length > 0)
            tell(
              `${id}: the registry's dates are not the publishers': ` +
                '`latest` is the lowest version that the manifest allows',
            );
          for (const line of doubts) tell(line);
        }
      },
      onRefused: (line) => tell(`refused: ${line}`),
    });
    const { answered, refused, failed, bytes } = document.requests;
    return {
      exitCode: 0,
      endsByInterrupt: true,
      document,
      render: () =>
        `${answered} requests answered (${(bytes / 1e6).toFixed(1)} MB), ${refused} refused, ${failed} failed\n`,
    };
  },
});
