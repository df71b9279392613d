import { AssayError } from '@assay/protocol';
import { runOwnTool } from '../run-own-tool.ts';
import { commonBundles, parseUpstream, readBundles, type Upstream } from '../upstream.ts';
import { readPipSettings } from './pip-settings.ts';

/** Prints pip's default index. Debian's python3 carries pip only as a wheel. */
const PIP_DEFAULT = `
import glob, sys
try:
    import pip
except ImportError:
    sys.path[:0] = glob.glob('/usr/share/python-wheels/pip-*.whl')
    try:
        import ensurepip, os
        sys.path[:0] = glob.glob(os.path.join(os.path.dirname(ensurepip.__file__), '_bundled', 'pip-*.whl'))
    except ImportError:
        pass
from pip._internal.models.index import PyPI
print(PyPI.simple_url)
`;
const PYTHONS = ['python3', '/usr/bin/python3', 'python'];

/** Finds the index that pip is configured for. Throws `UPSTREAM_UNKNOWN`. */
export async function pypiUpstream(environment: NodeJS.ProcessEnv): Promise<Upstream> {
  const settings = await readPipSettings(environment);
  if (settings.noIndex)
    throw new AssayError('UPSTREAM_UNKNOWN', { lane: 'pypi', detail: 'pip is configured to use no index (no-index)' });
  const address =
    settings.indexUrl ??
    (await firstOf(PYTHONS.map((python) => () => firstLine([python, '-c', PIP_DEFAULT], environment))));
  if (!address)
    throw new AssayError('UPSTREAM_UNKNOWN', {
      lane: 'pypi',
      detail: 'no pip was found. Install python3-pip or set PIP_INDEX_URL',
    });
  const certificates = await readBundles([settings.certificate, ...commonBundles(environment)]);
  const extra = settings.extraIndexUrls.map((other) => parseUpstream('pypi', other, certificates));
  return { ...parseUpstream('pypi', address, certificates), extra: extra.length === 0 ? undefined : extra };
}

async function firstLine(argv: string[], environment: NodeJS.ProcessEnv): Promise<string | null> {
  const line = (await runOwnTool(argv, environment))?.split('\n')[0]?.trim();
  return line || null;
}

async function firstOf(attempts: Array<() => Promise<string | null>>): Promise<string | null> {
  for (const attempt of attempts) {
    const answer = await attempt();
    if (answer) return answer;
  }
  return null;
}
