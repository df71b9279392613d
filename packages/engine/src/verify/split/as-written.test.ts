import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { build } from '../../mine/2-build.ts';
import { prove, type Proven } from '../../mine/3-prove.ts';
import { MineFixture } from '../../mine/mine.fixture.ts';
import { runAsWritten, type AsWrittenRequest } from './as-written.ts';

describe('tests as they were written, with the reference', () => {
  let fixture: MineFixture;
  let request: AsWrittenRequest;
  let proven: Proven;
  let boxes = 0;
  before(async () => {
    fixture = await MineFixture.make();
    const candidate = await fixture.candidate();
    const built = await build(candidate, fixture.context);
    proven = await prove(candidate, built, fixture.context);
    const { provider } = fixture.context;
    request = {
      ...candidate,
      task: { meta: { steering: [...candidate.ecosystem.steering] } },
      command: proven.command,
      t0Directory: built.t0Directory,
      environment: await built.environment(),
      provider: { ...provider, create: (options) => ((boxes += 1), provider.create(options)) },
    };
  });
  after(() => fixture.dispose());
  const told = async (more: Partial<AsWrittenRequest>): Promise<[string[], number]> => {
    boxes = 0;
    const { results } = await runAsWritten({ ...request, ...more }, proven.command.files);
    return [[...results.keys()], boxes];
  };

  test('a run that has been, of the same files in the same tree, is not repeated; it told the same', async () => {
    const [ids, run] = await told({});
    assert.deepEqual([ids.length, run], [2, 1]);
    assert.deepEqual(await told({ seen: proven.seen }), [ids, 0]);
  });

  test('one of another tree is', async () => {
    const [file] = request.reference.files;
    assert.ok(file);
    const reference = { files: [{ ...file, content: Buffer.concat([file.content, Buffer.from('\n')]) }], deleted: [] };
    const [, run] = await told({ seen: proven.seen, reference });
    assert.equal(run, 1);
  });
});
