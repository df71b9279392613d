import { runCli } from './cli.ts';

// Meant for this process alone (see the bootstrap script): what it starts gets a clean environment.
delete process.env['NODE_COMPILE_CACHE'];
await runCli(process.argv.slice(2));
