import { AssayError } from '@assay/protocol/errors';
import { defineCommand } from '../command.ts';
import { given, providerOption } from './shared-options.ts';

export const mine = defineCommand({
  name: 'mine',
  summary: 'make tasks out of a repository',
  description: `Looks in a repository for changes that fix code and bring tests, rebuilds each as of its base commit, proves it, and writes those
that hold as tasks. commit_runtime walks the history; cve_patches starts from security advisories in the OSV format, given by --osv.
Says at the end how many candidates fell at which gate (docs/rejection-reasons.md). A second run answers from the cache, and a killed
one goes on where it was. Exits 3 when nothing was admitted.`,
  example: 'assay mine ~/src/project --pipeline commit_runtime --out tasks --limit 50',
  arguments: [{ name: 'source', description: 'a directory with a clone, or a URL (https, http, ssh, git)' }],
  options: {
    pipeline: {
      kind: 'text',
      value: 'NAME',
      required: true,
      description: 'how candidates are found: commit_runtime or cve_patches',
    },
    osv: {
      kind: 'text',
      value: 'DIR|FILE|URL',
      description: 'OSV records for cve_patches: a directory with *.json, one file, or an http or https address',
    },
    'strict-specificity': {
      kind: 'flag',
      description:
        'reject what hidden tests demand beyond the instruction, instead of telling it in a line (cve_patches) or by the model',
    },
    out: {
      kind: 'text',
      value: 'DIR',
      required: true,
      description: 'directory for the tasks; new, empty, or of an earlier run',
    },
    limit: { kind: 'count', value: 'N', default: 50, description: 'look at no more than N candidates, newest first' },
    since: { kind: 'date', value: 'DATE', description: 'only commits from this day on, such as 2024-01-31' },
    jobs: { kind: 'count', value: 'N', description: 'candidates at the same time (default: the number of processors)' },
    model: {
      kind: 'text',
      value: 'NAME',
      description: 'model that writes instructions where the commit message or the advisory says too little',
    },
    endpoint: {
      kind: 'url',
      value: 'URL',
      description: 'OpenAI-compatible API of that model; its key is in ASSAY_MODEL_KEY or OPENAI_API_KEY',
    },
    provider: providerOption,
  },
  async run(
    {
      source,
      pipeline,
      osv,
      'strict-specificity': strictSpecificity,
      out,
      limit,
      since,
      jobs,
      model,
      endpoint,
      provider,
    },
    { signal, onEvent },
  ) {
    if ((model === undefined) !== (endpoint === undefined)) {
      throw new AssayError('BAD_OPTION', {
        option: model ? '--model' : '--endpoint',
        detail: 'give --model and --endpoint together',
      });
    }
    const { mineRepository } = await import('@assay/engine/mine/mine-repository');
    const { renderFunnel } = await import('../reporters/render-funnel.ts');
    const chosen = model && endpoint ? { model: { name: model, endpoint } } : {};
    const result = await mineRepository({
      source,
      pipeline,
      out,
      limit,
      strictSpecificity,
      signal,
      onEvent,
      ...given({ osv, since: since?.toISOString(), jobs, provider }),
      ...chosen,
    });
    return {
      exitCode: result.admitted === 0 ? 3 : 0,
      document: result,
      render: (terminal) => renderFunnel(result, out, terminal),
    };
  },
});
