/**
 * Files with which a tree steers node, a compiler or a test runner: `package.json` because of `type`, `exports`,
 * `imports` and the runners' own tables; `.env*` because vite reads them; `node_modules` because its contents are
 * loaded before the real modules. Lockfiles are not among them: dependencies are installed earlier and never again.
 */
export const NODE_STEERING: readonly string[] = [
  '**/package.json',
  '**/node_modules/**',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pnp.*',
  'pnpm-workspace.yaml',
  'node.config.json',
  '**/.mocharc*',
  '**/mocha.opts',
  '**/vitest.config.*',
  '**/vitest.workspace.*',
  '**/vitest.projects.*',
  '**/vite.config.*',
  '**/.env*',
  '**/jest.config.*',
  '**/jest-preset.*',
  '**/babel.config.*',
  '**/.babelrc*',
  '**/.swcrc',
  '**/tsconfig*.json',
  '**/jsconfig.json',
  '**/.taprc',
  '**/.nycrc*',
  '**/.c8rc*',
  '**/.browserslistrc',
  '**/postcss.config.*',
];
