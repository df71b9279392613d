import { defineCommand } from '../command.ts';
import { baxProviderOption, namesOf, profileOf } from './bax-options.ts';

export const baxCheck = defineCommand({
  name: 'bax check',
  summary: 'prove the graders of backends on this machine',
  description: `Grades the reference apps: the secure one of each scenario must pass everything, each vulnerable variant
must be found to have exactly its weakness, and broken ones must fail. Without --frameworks it takes the frameworks that
install quickest. Exits 0 when all is as it should be, else 1.`,
  example: 'assay bax check --scenarios Login --frameworks Python-FastAPI',
  arguments: [],
  options: {
    scenarios: { kind: 'list', value: 'NAMES', description: 'these scenarios alone (default: all that have tests)' },
    frameworks: { kind: 'list', value: 'NAMES', description: 'these frameworks alone' },
    all: { kind: 'flag', description: 'every framework that this machine can prepare' },
    profile: { kind: 'list', value: 'NAME', description: 'strict or upstream (default: both)' },
    jobs: {
      kind: 'count',
      value: 'N',
      description: 'tests at once (default: one for each processor, as far as there is memory)',
    },
    provider: baxProviderOption,
  },
  async run(
    { scenarios: scenarioWords, frameworks: frameworkWords, all, profile, jobs, provider },
    { signal, onEvent },
  ) {
    const profiles = profile.map(profileOf);
    const [scenarios, frameworks] = [namesOf(scenarioWords), namesOf(frameworkWords)];
    const { checkReferences } = await import('@assay/bax/check/check-references');
    const { renderCheckReport } = await import('../reporters/render-check-report.ts');
    const report = await checkReferences({
      all,
      signal,
      onEvent,
      scenarios: someOf(scenarios),
      frameworks: someOf(frameworks),
      profiles: someOf(profiles),
      jobs,
      provider,
    });
    return {
      exitCode: report.ok ? 0 : report.apps.length === 0 ? 5 : 1,
      document: report,
      render: (terminal) => renderCheckReport(report, terminal),
    };
  },
});

const someOf = <Item>(items: Item[]): Item[] | undefined => (items.length > 0 ? items : undefined);
