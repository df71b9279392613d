import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Receipt, Verdict } from '@assay/protocol';
import { renderCheats } from './render-cheats.ts';
import { renderDemo } from './render-demo.ts';
import { renderFunnel } from './render-funnel.ts';
import { renderJob } from './render-job.ts';
import { renderKey } from './render-key.ts';
import { renderMachine } from './render-machine.ts';
import { renderReceiptReport } from './render-receipt-report.ts';
import { renderSelfTest } from './render-self-test.ts';
import { renderValidation } from './render-validation.ts';
import { renderVerdict } from './render-verdict.ts';
import { describeTerminal } from './terminal.ts';
import { textWidth } from './text-width.ts';

const PLAIN = describeTerminal({}, {});
const COLOURED = describeTerminal({ isTTY: true, columns: 80 }, {});

/** A name as a hostile repository would choose it: long, and obeyed by terminals. */
const EVIL = `\u001b]0;owned\u0007\u001b[2Jtask\r\n\u202e${'日本'.repeat(60)}`;

const TRUST = { level: 'in-process' as const, reasons: [EVIL] };
const trial = {
  version: 1 as const,
  id: 'task.1',
  startedAt: '2026-01-01T00:00:00.000Z',
  agentRun: { exitCode: 0, timedOut: false, durationMs: 1 },
  task: EVIL,
  agent: EVIL,
  attempt: 1,
  outcome: 'pass' as const,
  reward: 1,
  trust: TRUST,
  isolation: 'gvisor' as const,
  durationMs: 61_000,
};
const verdict: Verdict = {
  outcome: 'fail',
  reward: 0,
  components: {},
  tests: [
    { id: EVIL, status: 'failed', durationMs: 1 },
    { id: 'b', status: 'passed', durationMs: 1 },
  ],
  trust: TRUST,
  isolation: 'gvisor',
  limits: 'full',
  verifier: 'pytest@1',
  digests: {},
  note: EVIL,
};
const cheat = {
  id: 'B1',
  title: EVIL,
  group: 'B',
  seal: 'history' as const,
  sealed: { reward: 0, trust: TRUST },
  unsealed: { reward: 1 },
  blocked: true,
  control: true,
};

const receipt: Receipt = {
  schema: 'assay/receipt@1',
  subject: { kind: 'task', id: EVIL },
  digests: { subject: '', submission: '' },
  verifier: { name: EVIL, digest: '' },
  sandbox: { provider: EVIL, isolation: 'gvisor', limits: 'full' },
  scoring: { rule: 'all-passed' },
  results: { count: 0, root: '' },
  verdict: { outcome: 'fail', passed: false, reward: 0, components: {}, note: EVIL },
  trust: TRUST,
  repeatable: true,
  startedAt: '',
  finishedAt: '',
  signer: '',
};

/** Every rendering, with foreign text wherever foreign text can be. */
const RENDERINGS: Record<string, (terminal: typeof PLAIN) => string> = {
  funnel: (terminal) =>
    renderFunnel(
      {
        candidates: 4,
        admitted: 1,
        deferred: 1,
        rejected: { flaky: 2 },
        ledger: [
          { candidate: EVIL, outcome: 'admitted', task: EVIL },
          { candidate: EVIL, outcome: 'rejected', reason: 'flaky', detail: EVIL },
          { candidate: EVIL, outcome: 'deferred', kind: 'machine', code: EVIL, detail: EVIL },
        ],
        tasks: [EVIL],
        notes: { text: EVIL, counts: {}, leftOut: [EVIL] },
        elapsedMs: 1000,
      },
      EVIL,
      terminal,
    ),
  validation: (terminal) =>
    renderValidation(
      [
        {
          id: EVIL,
          reference: { runs: 3, passes: 3 },
          noop: { runs: 3, passes: 0 },
          testsOnly: { runs: 1, passes: 0 },
          leaks: [],
          admitted: false,
          reasons: [EVIL],
        },
      ],
      terminal,
    ),
  job: (terminal) =>
    renderJob(
      {
        job: 'j',
        directory: EVIL,
        trials: [trial, trial],
        failures: [],
        summary: { trials: 2, passed: 2, invalid: 0, passRate: 1, ci95: [0.3, 1], durationMs: 1 },
      },
      terminal,
    ),
  verdict: (terminal) => renderVerdict(verdict, terminal),
  cheats: (terminal) =>
    renderCheats(
      {
        cheats: [cheat, { ...cheat, id: 'E14', blocked: false, open: EVIL }],
        notApplicable: [{ id: 'E4', title: EVIL }],
        failures: [{ item: 'C1', outcome: 'excluded', kind: 'infrastructure', code: 'X', message: EVIL, tries: 3 }],
      },
      terminal,
    ),
  demo: (terminal) =>
    renderDemo(
      {
        task: EVIL,
        proof: { reference: { runs: 3, passes: 3 }, noop: { runs: 3, passes: 0 } },
        trials: [{ agent: 'cheat:B1', title: EVIL, sealed: true, outcome: 'fail', reward: 0 }],
        elapsedMs: 1,
      },
      true,
      terminal,
    ),
  'a receipt that holds': (terminal) =>
    renderReceiptReport(
      {
        file: EVIL,
        valid: true,
        checks: [{ name: 'task', status: 'unchecked', detail: EVIL }],
        receipt,
        differences: null,
      },
      terminal,
    ),
  'a receipt that does not': (terminal) =>
    renderReceiptReport(
      {
        file: EVIL,
        valid: false,
        checks: [{ name: 'rejudge', status: 'fail', detail: EVIL }],
        receipt,
        differences: [{ id: EVIL, recorded: EVIL, now: EVIL }],
      },
      terminal,
    ),
  key: (terminal) => renderKey({ path: EVIL, keyId: 'ab', publicKey: 'MCow', pem: '' }, terminal),
  machine: (terminal) =>
    renderMachine(
      {
        assay: '0.1.0',
        node: '24.0.0',
        platform: 'linux x64',
        processors: 2,
        memoryBytes: 2 ** 34,
        root: true,
        providers: [
          { name: 'runsc', isolation: 'gvisor', available: false, limits: 'full', startMs: null, problems: [EVIL] },
        ],
        tools: [{ name: 'git', version: EVIL, neededFor: 'mining', debianPackage: 'git' }],
      },
      terminal,
    ),
  'self-test': (terminal) =>
    renderSelfTest(
      { passed: 1, failed: 1, skipped: 0, failures: [{ name: EVIL, detail: EVIL }], elapsedMs: 1 },
      terminal,
    ),
};

/** Renderings made of whole sentences, which the terminal wraps. */
const WITHOUT_TABLE = ['verdict', 'self-test', 'a receipt that holds', 'a receipt that does not', 'key'];

describe('every rendering', () => {
  for (const [name, render] of Object.entries(RENDERINGS)) {
    test(`${name}: foreign text is harmless, in colour or not`, () => {
      assert.doesNotMatch(render(PLAIN), /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
      assert.doesNotMatch(
        render(COLOURED).replace(/\u001b\[\d+m/g, ''),
        /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/,
      );
    });

    test(`${name}: its table fits 80 columns`, () => {
      const lines = render(PLAIN).split('\n');
      const head = lines.findIndex((line) => / {2}/.test(line));
      const end = lines.findIndex((line, index) => index > head && line === '');
      for (const line of lines.slice(head, end))
        if (!WITHOUT_TABLE.includes(name)) assert.ok(textWidth(line) <= 80, line);
    });
  }
});

describe('what is said', () => {
  test('a job without a gradable trial has no rate', () => {
    const text = renderJob(
      {
        job: 'j',
        directory: 'd',
        trials: [{ ...trial, outcome: 'invalid', reward: null }],
        failures: [],
        summary: { trials: 1, passed: 0, invalid: 1, passRate: null, ci95: null, durationMs: 1 },
      },
      PLAIN,
    );
    assert.match(text, /no trial could be graded, 1 invalid and not counted\./);
    assert.match(text, /invalid +-/);
  });

  test('a job of an agent that asks a model says what it used, and who did not simply end', () => {
    const usage = {
      requests: 12,
      inputTokens: 3400,
      cachedInputTokens: 100,
      outputTokens: 200,
      usd: 0.0123,
      retries: 1,
      estimated: 0,
    };
    const agentRun = { status: 'budget', exitCode: 0, timedOut: false, durationMs: 1 } as const;
    const text = renderJob(
      {
        job: 'j',
        directory: 'd',
        trials: [{ ...trial, agentRun, usage }, trial],
        failures: [],
        summary: { trials: 2, passed: 2, invalid: 0, passRate: 1, ci95: [0.3, 1], durationMs: 1, usage },
      },
      PLAIN,
    );
    assert.match(
      text,
      /\nAgents that did not end by themselves: 1 budget\.\nModel: 12 requests, 3400 tokens in \(100 cached\), 200 out, 0\.0123 US dollars\.\n/,
    );
  });

  test('a job of many trials shows the first fifty', () => {
    const trials = Array.from({ length: 60 }, (_, index) => ({ ...trial, task: `task-${index}`, agent: 'nop' }));
    const text = renderJob(
      {
        job: 'j',
        directory: 'out',
        trials,
        failures: [],
        summary: { trials: 60, passed: 60, invalid: 0, passRate: 1, ci95: [0.94, 1], durationMs: 1 },
      },
      PLAIN,
    );
    assert.match(text, /… and 10 more, in out\n/);
    assert.match(text, /nop: 60 of 60 passed, 100\.0 % \(95 % interval 94\.0 % to 100\.0 %\)\./);
  });

  test('a cheat that got through is shouted', () => {
    assert.match(
      renderCheats({ cheats: [{ ...cheat, title: 'x', blocked: false }], notApplicable: [], failures: [] }, PLAIN),
      /GOT THROUGH[^]*1 got through\./,
    );
    assert.match(
      renderCheats({ cheats: [{ ...cheat, title: 'x', open: 'why' }], notApplicable: [], failures: [] }, PLAIN),
      /open no more[^]*out of date/,
    );
  });

  test('the last line of the self-test is the count', () => {
    assert.match(
      renderSelfTest({ passed: 12, failed: 0, skipped: 1, failures: [], elapsedMs: 1 }, PLAIN),
      /1 skipped\n12 passed, 0 failed\n$/,
    );
  });
});
