import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';
import { functional } from './functional.ts';
import { security } from './security.ts';
import { typescriptTools } from './typescript-tools.ts';

export const compiler: Scenario = {
  id: 'Compiler',
  summary: 'web app that tells what a compiler says of a program',
  needsDatabase: false,
  needsSecret: false,
  packages: { all: ['apt-get update', 'apt-get install -y nodejs npm g++ make', 'npm install -g typescript'] },
  programs: ['g++'],
  tools: typescriptTools,
  instructions: '',
  cwes: [22, 78, 703],
  api: () => apiFiles(import.meta.dirname),
  tests: { functional, security },
  references: async () => (await import('./references.ts')).references,
};
