/**
 * The tiers of docs/architecture.md as rules. Imports go down a tier or stay in the folder; `@assay/x` counts like a
 * path, as the workspace links resolve to packages/x.
 */
const ENGINE = '^packages/engine/src';

/** Tests and what only they use, and what builds packages. Tiers bind what is shipped. */
const TEST =
  '(\\.(test|fixture)\\.ts$|-(conformance|scenarios|test-home)\\.ts$|/testing/|^packages/testkit/|^build/|^test/)';

/**
 * What users install when they need it, and what the build puts into the package: both are development dependencies as
 * well.
 */
const SHIPPED_OTHERWISE = '^node_modules/(dockerode|@types/dockerode|sucrase)/';

/**
 * Folders of engine/src from the lowest up, a tier a line: each imports only from folders that stand before it.
 * There are no exceptions.
 */
const TIERS = [
  ['git', 'stats'],
  ['ecosystems', 'bundle', 'canaries'],
  ['harden', 'verify', 'cheats', 'agents', 'mine', 'trace'],
  ['kinds', 'trial', 'job'],
  ['commands'],
];

const engineRules = TIERS.flatMap((folders, tier) =>
  folders.map((folder) => {
    const order = TIERS.flat();
    const above = order.slice(order.indexOf(folder) + 1);
    return {
      name: `tier-${tier + 1}-${folder}`,
      comment: `${folder}/ is of tier ${tier + 1}: it imports what stands before it in TIERS, and nothing above.`,
      severity: 'error',
      from: { path: `${ENGINE}/${folder}/`, pathNot: TEST },
      to: { path: `${ENGINE}/(${[...above.map((other) => `${other}/`), 'index\\.ts$'].join('|')})` },
    };
  }),
);

engineRules.push({
  name: 'folder-without-tier',
  comment: 'A new folder of engine/src gets its place in TIERS.',
  severity: 'error',
  from: { path: `${ENGINE}/[^/]+/`, pathNot: `${ENGINE}/(${TIERS.flat().join('|')})/` },
  to: {},
});

/** Packages from the lowest up; each may import those before it. */
const PACKAGES = ['protocol', 'sandbox', 'files', 'lanes', 'judging', 'engine', 'bax', 'server'];

const packageRules = PACKAGES.map((name, index) => ({
  name: `package-${name}`,
  comment: `${name} imports ${PACKAGES.slice(0, index).join(', ') || 'none of the packages'}; testkit only in tests.`,
  severity: 'error',
  from: { path: `^packages/${name}/`, pathNot: TEST },
  to: { path: '^packages/', pathNot: `^packages/(${PACKAGES.slice(0, index + 1).join('|')})/` },
}));

/**
 * Families of adapters: members do not know each other; what they share goes to the contract or beside them. By folder,
 * with the folders in it that are no members: `javascript` runs JavaScript for two providers, `recipes` builds samples for
 * frameworks of one language, `testing` is for tests.
 */
const FAMILIES = {
  providers: { folder: '^packages/sandbox/src/providers', shared: ['javascript'] },
  indexes: { folder: '^packages/lanes/src/package-lane', shared: ['testing'] },
  ecosystems: { folder: `${ENGINE}/ecosystems`, shared: [] },
  pipelines: { folder: `${ENGINE}/mine/pipelines`, shared: [] },
  forges: { folder: `${ENGINE}/mine/forges`, shared: [] },
  kinds: { folder: `${ENGINE}/kinds`, shared: [] },
  scenarios: { folder: '^packages/bax/src/scenarios', shared: [] },
  frameworks: { folder: '^packages/bax/src/frameworks', shared: ['recipes'] },
};

/** Families whose members are a file each. */
const FILE_FAMILIES = {
  agents: `${ENGINE}/agents/(exec-agent|loop|nop|oracle|single-turn|cli/claude-code|cli/codex|cli/gemini-cli|cli/opencode)\\.ts$`,
  cheats: `${ENGINE}/cheats/([a-z]\\d+-[a-z-]+)\\.ts$`,
  'audit-rules': `${ENGINE}/trace/audit/rules/(?!index)([a-z-]+)\\.ts$`,
};

const families = [
  ...Object.entries(FAMILIES).map(([name, { folder, shared }]) => ({
    name: `family-${name}`,
    comment: 'Members of a family do not import each other.',
    severity: 'error',
    from: { path: `${folder}/([^/]+)/`, pathNot: '\\.test\\.ts$|/testing/' },
    to: { path: `${folder}/[^/]+/`, pathNot: `${folder}/(${['$1', ...shared].join('|')})/` },
  })),
  ...Object.entries(FILE_FAMILIES).map(([name, member]) => ({
    name: `family-${name}`,
    comment: 'Members of a family do not import each other.',
    severity: 'error',
    from: { path: member },
    to: { path: member },
  })),
];

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', comment: 'No import goes in a circle.', from: {}, to: { circular: true } },
    {
      name: 'no-unresolvable',
      severity: 'error',
      comment: 'Every import leads somewhere.',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-undeclared-package',
      severity: 'error',
      comment: 'A package is imported only by who declares it.',
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
      from: { path: '^packages/protocol/', pathNot: '\\.test\\.ts$|/testing/' },
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
      comment:
        '`assay --help` starts fast: what it loads names no engine, sandbox, backend or schema, but by `await import`.',
      from: {
        path: '^packages/server/src/(main|cli|command|version|parse-command-line)\\.ts$|^packages/server/src/commands/',
      },
      to: {
        path: '(^packages/(engine|sandbox|files|lanes|judging|bax)/|^packages/protocol/src/index\\.ts$|node_modules/zod/)',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'sandbox-without-schemas',
      severity: 'error',
      comment: 'The sandbox package is published alone and small: of protocol it takes what needs no zod.',
      from: { path: '^packages/sandbox/', pathNot: TEST },
      to: {
        path: '^packages/protocol/',
        pathNot:
          '^packages/protocol/src/(errors|harmless-text|isolation|type-signature|function-name|weighted-score)\\.ts$',
      },
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
    exclude: { path: '(/__fixtures__/|\\.assay/|^packages/bax/apps/)' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
};
