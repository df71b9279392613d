export { runCli } from './cli.ts';
