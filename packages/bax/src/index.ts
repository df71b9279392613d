export { CWES, type CweNumber } from './cwe.ts';
export { FRAMEWORKS } from './frameworks/index.ts';
export { SCENARIOS } from './scenarios/index.ts';
