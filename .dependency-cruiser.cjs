/**
 * The tiers of docs/architecture.md as rules. Imports go down a tier or stay in the folder; `@assay/x` counts like a path, as the
 * workspace links resolve to packages/x.
 */
const ENGINE = '^packages/engine/src';

/** Tests and what only they use, and what builds packages. Tiers bind what is shipped. */
const TEST = '(\\.(test|fixture)\\.ts$|-(conformance|scenarios|test-home)\\.ts$|/testing/|^packages/testkit/|^packages/[^/]+/build/|^test/)';

/** What users install when they need it, and what the build puts into the package: both are development dependencies as well. */
const SHIPPED_OTHERWISE = '^node_modules/(dockerode|@types/dockerode|sucrase)/';

/** Folders of engine/src by tier, lowest first. */
const TIERS = [
  ['process', 'files', 'git', 'stats'],
  ['lanes', 'ecosystems', 'models', 'store', 'bundle', 'content', 'receipts', 'canaries'],
  ['mine', 'harden', 'agents', 'verify', 'cheats', 'judge', 'trace'],
  ['run'],
];

/**
 * Pairs of one tier that may nevertheless be imported, each one way only: plumbing that its siblings share; mining and
 * agents, which stand on what tells a good task and a good answer.
 */
const SIBLINGS = {
  git: ['process', 'files'],
  files: ['process'],
  lanes: ['store', 'bundle'],
  ecosystems: ['lanes', 'store', 'bundle'],
  models: ['store'],
  bundle: ['store'],
  content: ['store'],
  receipts: ['store'],
  mine: ['harden', 'verify'],
  verify: ['harden'],
  agents: ['cheats'],
};

const engineRules = TIERS.flatMap((folders, tier) =>
  folders.map((folder) => {
    const allowed = [...TIERS.slice(0, tier).flat(), folder, ...(SIBLINGS[folder] ?? [])];
    const others = TIERS.flat().filter((other) => !allowed.includes(other));
    return {
      name: `tier-${tier + 1}-${folder}`,
      comment: `${folder}/ is tier ${tier + 1}: it imports ${allowed.join(', ')} and nothing above.`,
      severity: 'error',
      from: { path: `${ENGINE}/${folder}/`, pathNot: TEST },
      to: { path: `${ENGINE}/(${[...others.map((other) => `${other}/`), 'index\\.ts$'].join('|')})` },
    };
  }),
);

/** Packages from the lowest up; each may import those before it. */
const PACKAGES = ['protocol', 'sandbox', 'engine', 'bax', 'server'];

const packageRules = PACKAGES.map((name, index) => ({
  name: `package-${name}`,
  comment: `${name} imports ${PACKAGES.slice(0, index).join(', ') || 'none of the packages'}; testkit only in tests.`,
  severity: 'error',
  from: { path: `^packages/${name}/`, pathNot: TEST },
  to: { path: '^packages/', pathNot: `^packages/(${PACKAGES.slice(0, index + 1).join('|')})/` },
}));

/** Members of a family of adapters do not know each other: what they share goes to the contract or beside them. */
const families = [`^packages/sandbox/src/providers`, `${ENGINE}/ecosystems`, '^packages/bax/src/scenarios'].map((folder) => ({
  name: `family-${folder.split('/').at(-1)}`,
  comment: 'Members of a family do not import each other. javascript/ is no member: the two that run JavaScript alone share it.',
  severity: 'error',
  from: { path: `${folder}/([^/]+)/` },
  to: { path: `${folder}/[^/]+/`, pathNot: `${folder}/($1|javascript)/` },
}));

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', comment: 'No import goes in a circle.', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', comment: 'Every import leads somewhere.', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-undeclared-package',
      severity: 'error',
      comment: "A package is imported only by who declares it.",
      from: { path: '^packages/', pathNot: TEST },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'], pathNot: SHIPPED_OTHERWISE },
    },
    {
      name: 'no-test-code',
      severity: 'error',
      comment: 'Shipped code does not import tests or what is only for tests.',
      from: { path: '^packages/', pathNot: TEST },
      to: { path: TEST },
    },
    {
      name: 'protocol-is-pure',
      severity: 'error',
      comment: 'protocol runs anywhere: no node: imports.',
      from: { path: '^packages/protocol/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'one-parser',
      severity: 'error',
      comment: 'Only one file knows the command line parser.',
      from: { path: '^packages/', pathNot: '^packages/server/src/parse-command-line\\.ts$' },
      to: { path: 'node_modules/commander/' },
    },
    {
      name: 'light-start',
      severity: 'error',
      comment: '`assay --help` starts fast: what it loads names no engine, sandbox, backend or schema, but by `await import`.',
      from: { path: '^packages/server/src/(main|cli|command|version|parse-command-line)\\.ts$|^packages/server/src/commands/' },
      to: { path: '(^packages/(engine|sandbox|bax)/|^packages/protocol/src/index\\.ts$|node_modules/zod/)', dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'sandbox-without-schemas',
      severity: 'error',
      comment: 'The sandbox package is published alone and small: of protocol it takes what needs no zod.',
      from: { path: '^packages/sandbox/', pathNot: TEST },
      to: { path: '^packages/protocol/', pathNot: '^packages/protocol/src/(errors|harmless-text|isolation|type-signature|function-name|weighted-score)\\.ts$' },
    },
    ...packageRules,
    ...engineRules,
    ...families,
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    // What apps for tests import is installed for them alone.
    exclude: { path: '(/__fixtures__/|\\.assay/|^packages/bax/src/(scenarios/[^/]+/apps/[^/]+|frameworks/[^/]+/app)/)' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'], extensions: ['.ts', '.js', '.json'] },
  },
};
