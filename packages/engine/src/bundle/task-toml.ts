import type { AssayMetadata, RepositoryMetadata } from '@assay/protocol';
import { WORKSPACE } from './dockerfiles.ts';
import type { TaskContent } from './task.ts';
import { tomlText, type TomlTable } from './toml-text.ts';

/**
 * Writes the text of task.toml: Harbor's tables first, then ours. `notCarried` holds patterns from {@link
 * notCarriedPatterns}.
 */
export function taskTomlText(content: TaskContent, meta: RepositoryMetadata, notCarried: readonly string[]): string {
  const { timeouts = {} } = content;
  const table: TomlTable = {
    schema_version: '1.4',
    artifacts: [{ source: WORKSPACE, exclude: [...notCarried] }],
    task: {
      name: content.name,
      description: content.description,
      keywords: [meta.environment.ecosystem, meta.test.runner, meta.pipeline],
    },
    agent: { timeout_sec: timeouts.agentSec ?? 1800 },
    verifier: { timeout_sec: timeouts.verifierSec ?? 2 * meta.test.timeoutSec + 120, environment_mode: 'separate' },
    environment: {
      build_timeout_sec: timeouts.buildSec ?? 600,
      cpus: 1,
      memory_mb: 2048,
      storage_mb: 10240,
      workdir: WORKSPACE,
    },
    metadata: {
      difficulty: difficulty(content.referenceDiff),
      category: meta.category === 'security' ? 'security' : 'software-engineering',
      tags: [meta.kind, meta.environment.ecosystem],
      assay: metadataTable(meta),
    },
  };
  return tomlText(table);
}

/**
 * Orders the metadata for a reader: what it is and where it comes from, the proof, the environment, then the long
 * lists.
 */
export function metadataTable(meta: AssayMetadata): TomlTable {
  if (meta.kind === 'standard') {
    return {
      version: meta.version,
      kind: meta.kind,
      pipeline: meta.pipeline,
      source: meta.source,
      answer: meta.answer,
      language: meta.language,
      network: meta.network,
      digest: meta.digest,
      proof: meta.proof,
      standard: meta.standard,
    };
  }
  if (meta.kind === 'scenario') {
    return {
      version: meta.version,
      kind: meta.kind,
      pipeline: meta.pipeline,
      source: meta.source,
      scenario: meta.scenario,
      framework: meta.framework,
      spec: meta.spec,
      safety: meta.safety,
      profile: meta.profile,
      tests: meta.tests,
      network: meta.network,
      digest: meta.digest,
      proof: meta.proof,
    };
  }
  if (meta.kind === 'diff') {
    return {
      version: meta.version,
      kind: meta.kind,
      pipeline: meta.pipeline,
      source: meta.source,
      base_commit: meta.base_commit,
      t0: meta.t0,
      fixed: meta.fixed,
      category: meta.category,
      severity: meta.severity,
      licence: meta.licence,
      by_model: meta.by_model,
      ecosystem: meta.ecosystem,
      profile: meta.profile,
      judged: meta.judged,
      untested: meta.untested,
      parts: meta.parts,
      network: meta.network,
      digest: meta.digest,
      absent: meta.absent.length > 0 ? meta.absent : undefined,
      proof: meta.proof,
      statement: meta.statement.length > 0 ? meta.statement : undefined,
    };
  }
  return repositoryTable(meta);
}

function repositoryTable(meta: RepositoryMetadata): TomlTable {
  return {
    version: meta.version,
    kind: meta.kind,
    pipeline: meta.pipeline,
    source: meta.source,
    base_commit: meta.base_commit,
    t0: meta.t0,
    fixed: meta.fixed,
    category: meta.category,
    licence: meta.licence,
    network: meta.network,
    digest: meta.digest,
    specificity: meta.specificity,
    severity: meta.severity,
    by_model: meta.by_model,
    written: meta.written,
    fail_to_pass: meta.fail_to_pass,
    pass_to_pass: meta.pass_to_pass,
    quarantined: meta.quarantined,
    absent: meta.absent.length > 0 ? meta.absent : undefined,
    removed: meta.removed,
    steering: meta.steering,
    proof: meta.proof,
    suite: meta.suite,
    statement: meta.statement.length > 0 ? meta.statement : undefined,
    behaviour: meta.behaviour,
    test: meta.test,
    environment: meta.environment,
  };
}

/** Rates a task by the size of its reference alone: up to 10 changed lines, up to 60, more. */
export function difficulty(diff: string): string {
  const changed = diff.split('\n').filter((line) => /^[+-]/.test(line) && !/^(\+\+\+|---) /.test(line)).length;
  return changed <= 10 ? 'easy' : changed <= 60 ? 'medium' : 'hard';
}
