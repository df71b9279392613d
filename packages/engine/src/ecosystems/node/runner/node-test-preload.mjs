/*
 * Loaded before a test file, in its process. The reporter must have its channel before the file can run anything, so a
 * first test of our own makes node's test runner load it now; that test is no record.
 */
import test from 'node:test';
import { createRequire } from 'node:module';
import { adopt, OPENING } from './node-test-reporter.mjs';

const { connect } = createRequire(import.meta.url)('./inner-channel.cjs');
const { request, emit } = connect();
adopt(emit, request.file);
await test(OPENING, () => {});
