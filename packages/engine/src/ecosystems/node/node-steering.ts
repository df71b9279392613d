/**
 * Files by which a tree tells node, a compiler or a test runner what to do. `package.json` because of `type`,
 * `exports`, `imports` and the runners' own tables; `.env*` because vite reads them; `node_modules` because whatever
 * lies there is loaded before the real thing. Lockfiles are left out: dependencies are installed before and never
 * again.
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
