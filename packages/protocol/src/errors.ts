/**
 * Decides what an error does to the work around it.
 *
 * - `user`: exit 2, no stack.
 * - `task`: the task is quarantined.
 * - `agent`: scored 0.
 * - `infrastructure`: retried, then excluded, never scored.
 * - `machine`: this machine cannot do it, exit 5.
 * - `bug`: crash report.
 */
export type ErrorKind = 'user' | 'task' | 'agent' | 'infrastructure' | 'machine' | 'bug';

interface CatalogueEntry {
  kind: ErrorKind;
  message: string;
}

/** Every error that Assay raises. `{name}` is filled from the details. A message says what is wrong and what to do. */
export const ERRORS = {
  NOT_A_REPOSITORY: { kind: 'user', message: '{path} is no git repository. Give the directory of a clone, or a URL.' },
  EMPTY_REPOSITORY: { kind: 'user', message: '{path} has no commits, so there is nothing to mine.' },
  SHALLOW_REPOSITORY: { kind: 'user', message: '{path} is a shallow clone. Run `git fetch --unshallow` in it first.' },
  REPOSITORY_UNREACHABLE: { kind: 'user', message: 'cannot clone {url}: {detail}' },
  REPOSITORY_REFUSED: {
    kind: 'user',
    message: '{url} is refused: {detail}. Give an https, http, ssh or git URL, or a directory.',
  },
  UNSUPPORTED_REPOSITORY: { kind: 'user', message: '{path} uses {detail}, which Assay does not read.' },
  GIT_FAILED: { kind: 'infrastructure', message: 'git {command} failed: {detail}' },
  MISSING_OBJECT: { kind: 'task', message: 'the repository lacks an object: {detail}' },
  OBJECT_TOO_LARGE: { kind: 'task', message: 'the object {oid} is too large: {detail}' },
  UNSUPPORTED_ENTRY: { kind: 'task', message: 'the entry {path} cannot be carried: {detail}' },
  UNSAFE_PATH: { kind: 'user', message: 'the path {path} is refused: {detail}' },

  ORDER_INVALID: { kind: 'task', message: 'the order of {item} cannot be worked on: {detail}' },
  UNKNOWN_PIPELINE: { kind: 'user', message: 'no pipeline is called {name}. There are: {known}.' },
  MINE_FILE_INVALID: { kind: 'user', message: '{place}: {detail}' },
  ADVISORY_INVALID: { kind: 'user', message: '{file} is no usable OSV record: {detail}' },
  ADVISORY_UNREADABLE: { kind: 'user', message: 'cannot read advisories from {path}: {detail}' },
  FORGE_REFUSED: { kind: 'user', message: '{forge} gives nothing: {detail}' },
  FORGE_LIMITED: {
    kind: 'infrastructure',
    message:
      '{forge} takes no more requests before {until}. What was read is kept: run it again then, or with a token.',
  },
  FORGE_FAILED: { kind: 'infrastructure', message: '{forge} fails: {detail}. What was read is kept for the next run.' },
  UNKNOWN_ECOSYSTEM: { kind: 'user', message: 'no ecosystem is called {name}. There are: {known}.' },
  UNKNOWN_AGENT: { kind: 'user', message: 'no agent is called {name}. There are: {known}.' },
  UNKNOWN_SCENARIO: { kind: 'user', message: 'no scenario is called {name}.{hint} There are: {known}.' },
  UNKNOWN_FRAMEWORK: { kind: 'user', message: 'no framework is called {name}.{hint} There are: {known}.' },
  NOT_GRADABLE: { kind: 'user', message: 'answers to {name} cannot be graded yet: {detail}' },
  ANSWER_UNREADABLE: { kind: 'user', message: 'cannot read the answer {path}: {detail}' },
  UNKNOWN_SEAL: { kind: 'user', message: 'no seal is called {name}. There are: {known}.' },
  UNKNOWN_PROVIDER: { kind: 'user', message: 'no provider is called {name}. There are: {known}.' },
  BAD_OPTION: { kind: 'user', message: '{option}: {detail}' },
  OUTPUT_OCCUPIED: { kind: 'user', message: '{path} holds something else ({detail}). Give an empty or new directory.' },
  OUTPUT_UNWRITABLE: { kind: 'user', message: 'cannot write to {path}: {detail}. Give another place.' },
  OUTPUT_BUSY: { kind: 'user', message: '{path} is in use by another assay process ({pid}).' },

  TASK_NOT_FOUND: { kind: 'user', message: '{path} is neither a task (no task.toml) nor a directory of tasks.' },
  TASK_INVALID: { kind: 'user', message: '{file}:{line}: {field}: {detail}' },
  TASK_ALTERED: { kind: 'user', message: '{path} was altered: {detail}. Refused; mine or fetch it again.' },
  TASK_UNSAFE: { kind: 'user', message: '{path} is refused: {detail}' },
  TASK_KIND: { kind: 'user', message: '{path} is a {kind} task, and this works on {wanted} tasks alone.' },
  SPLIT_TOOL_FAILED: { kind: 'task', message: 'hidden tests cannot be taken apart or compared: {detail}' },
  SPLIT_OUTDATED: {
    kind: 'user',
    message:
      'the hidden tests of {path} were taken apart by another version of Assay ({made}, this one has {version}). ' +
      'Take them apart again: `assay task split {path}`.',
  },
  TASK_OUTDATED: {
    kind: 'user',
    message: '{path} was made for other tests: {detail}. Make it again with `assay bax task`.',
  },
  TASK_UNPROVEN: { kind: 'user', message: 'no task is written, as it does not hold: {detail}' },
  SUBMISSION_REFUSED: { kind: 'user', message: 'the submission {path} is refused: {detail}' },
  SUBMISSION_TOO_LARGE: { kind: 'agent', message: 'the submission is too large: {detail}' },

  PROVIDER_UNAVAILABLE: { kind: 'machine', message: 'the provider {name} cannot run here: {detail}. {hint}' },
  NO_PROVIDER: { kind: 'machine', message: 'this machine offers no sandbox. {hint}' },
  LIMITS_UNAVAILABLE: { kind: 'machine', message: 'the limit on {limit} cannot be enforced here: {detail}' },
  SANDBOX_START_FAILED: { kind: 'infrastructure', message: 'the sandbox did not start ({provider}): {detail}' },
  TRIAL_BROKEN: { kind: 'infrastructure', message: 'a trial came to no answer: {detail}' },
  SANDBOX_GONE: { kind: 'infrastructure', message: 'the sandbox {id} is destroyed or its holder died' },
  SEAL_BROKEN: {
    kind: 'infrastructure',
    message: 'the seal of the sandbox does not hold, so that the agent was not started: {detail}',
  },
  SANDBOX_FILE_FAILED: { kind: 'task', message: 'the file {path} of the sandbox: {detail}' },
  DISK_FULL: {
    kind: 'machine',
    message:
      'no room is left on the disk of {path}. Make some, or take another place: ' +
      'what Assay keeps is at $ASSAY_CACHE, what is short-lived at $TMPDIR.',
  },
  COMMAND_NOT_FOUND: { kind: 'machine', message: 'the command {command} is not installed. {hint}' },

  INTERPRETER_MISSING: { kind: 'machine', message: 'no {language} {wanted} on this machine' },
  TOOL_MISSING: { kind: 'machine', message: 'the environment {missing} ({detail})' },
  ENVIRONMENT_FAILED: { kind: 'task', message: 'the environment could not be built: {detail}' },
  BUILD_TIMED_OUT: {
    kind: 'machine',
    message: 'the environment was not built within {minutes} minutes ({step}). Try again when less is going on.',
  },
  LAYER_FAILED: { kind: 'machine', message: 'what {name} needs could not be installed: {detail}' },
  LANE_FAILED: { kind: 'infrastructure', message: 'the {lane} lane failed: {detail}' },
  UPSTREAM_UNKNOWN: { kind: 'machine', message: 'no upstream for {lane} is configured on this machine: {detail}' },
  MODEL_FAILED: { kind: 'infrastructure', message: 'the model at {endpoint} did not answer: {detail}' },
  // Another run, with more to spend, makes the candidate.
  MODEL_BUDGET_SPENT: {
    kind: 'infrastructure',
    message:
      'the budget of {limit} tokens has {left} left, and a request may take {needed}. Give a larger --model-budget.',
  },
  MODEL_KEY_MISSING: {
    kind: 'user',
    message: 'the model at {endpoint} refused the request without a key. Set {variable}.',
  },
  // The length of what was asked decides, so asking again does not help; a submission can cause it.
  MODEL_OVERFLOW: { kind: 'agent', message: 'what was asked is too long for the model at {endpoint}: {detail}' },
  MODEL_MISSING: { kind: 'user', message: 'a model has to judge this. Give --endpoint and --model.' },
  SCRIPT_INVALID: { kind: 'user', message: '{file} is no valid script for the fake model: {field}: {detail}' },
  STANDARD_INVALID: { kind: 'user', message: '{name} is no valid standard: {detail}' },
  SECRETS_EXPOSED: {
    kind: 'user',
    message:
      '{name} is no boundary, and the environment holds what looks like secrets ({variables}): ' +
      'a submission could read them. Take another --provider, unset them, or say --allow-secrets.',
  },
  ANSWERS_INVALID: { kind: 'user', message: '{file}: {field}: {detail}' },
  CHECKLIST_UNANSWERED: { kind: 'user', message: 'nobody answers {items}. Give {missing}.' },

  CONTENT_REFERENCE_INVALID: { kind: 'user', message: '{reference} names no content: {detail}' },
  CONTENT_NOT_FOUND: { kind: 'user', message: '{cid} is not in {places}. {hint}' },
  CONTENT_CORRUPT: { kind: 'user', message: 'what was found for {cid} is something else, and is not used: {detail}' },
  CONTENT_TOO_LARGE: { kind: 'user', message: '{reference} is larger than {limit} bytes' },
  CONTENT_UNSUPPORTED: { kind: 'user', message: '{cid} is refused: {detail}' },
  CONTENT_UNREADABLE: { kind: 'user', message: 'cannot take {path}: {detail}' },
  CONTENT_UNWRITABLE: { kind: 'user', message: 'cannot keep content in {path}: {detail}' },
  CONTENT_UNREACHABLE: { kind: 'infrastructure', message: 'cannot fetch {reference}: {detail}' },
  ADDRESS_REFUSED: { kind: 'user', message: '{url} is refused: {detail}' },

  KEY_EXISTS: {
    kind: 'user',
    message: 'there is a key at {path} already, and keys are never overwritten. Give another --out.',
  },
  KEY_MISSING: { kind: 'user', message: 'there is no key at {path}. Make one with `assay key new`.' },
  KEY_UNUSABLE: { kind: 'user', message: 'the key at {path} is not used: {detail}' },
  REJUDGE_FAILED: { kind: 'infrastructure', message: 'it could not be judged again: {detail}' },
  RECEIPT_UNREADABLE: { kind: 'user', message: 'cannot read the receipt {path}: {detail}' },

  JOB_MISMATCH: {
    kind: 'user',
    message: '{path} holds another job: {detail}. Give another --out, or the options that it was begun with.',
  },
  JOB_NOT_FOUND: {
    kind: 'user',
    message: '{path} is no job: {detail}. Give the directory that `assay run --out` wrote.',
  },
  TRIAL_NOT_FOUND: { kind: 'user', message: '{path} is no trial: {detail}' },
  STALLED: {
    kind: 'infrastructure',
    message:
      '{command} ended without an answer (STALLED): it waits for something that can no longer come. ' +
      'This is a bug in Assay; please report it, and run the command again.',
  },
  INTERRUPTED: { kind: 'user', message: 'interrupted' },
  IMPOSSIBLE: { kind: 'bug', message: 'this cannot happen: {detail}' },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof ERRORS;
export type ErrorDetails = Record<string, string | number>;

const MARK = Symbol.for('assay.error');

/** The one error class. Tests and callers look at `code`, never at the message. */
export class AssayError extends Error {
  readonly code: ErrorCode;
  readonly kind: ErrorKind;
  readonly details: ErrorDetails;
  readonly [MARK] = true;

  constructor(code: ErrorCode, details: ErrorDetails = {}, options?: ErrorOptions) {
    const entry = ERRORS[code];
    super(entry.message.replace(/\{(\w+)\}/g, (_, key: string) => String(details[key] ?? '')).trimEnd(), options);
    this.name = 'AssayError';
    this.code = code;
    this.kind = entry.kind;
    this.details = details;
  }

  /** Holds across two copies of this package in one process. */
  static is(value: unknown): value is AssayError {
    return typeof value === 'object' && value !== null && MARK in value;
  }
}
