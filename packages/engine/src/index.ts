export type { Ecosystem } from './ecosystems/ecosystem.ts';
