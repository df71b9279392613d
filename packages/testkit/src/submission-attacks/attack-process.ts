/**
 * `node attack-process.ts MODULE CLASS ATTACK`: says `attack failed` when it did, and exits 1, or not at all, when it
 * succeeded.
 */
import type { SandboxProvider } from '@assay/sandbox';
import { SUBMISSION_ATTACKS } from './describe-submission-attacks.ts';
import { runAttack } from './run-attack.ts';

const [module = '', name = '', attackName] = process.argv.slice(2);
const attack = SUBMISSION_ATTACKS.find((each) => each.name === attackName);
const exports: Record<string, new () => SandboxProvider> = await import(module);
const Provider = exports[name];
if (!attack || !Provider) throw new Error(`no attack ${attackName} or no ${name} in ${module}`);
await runAttack(new Provider(), attack);
process.stdout.write('attack failed\n');
process.exit(0);
