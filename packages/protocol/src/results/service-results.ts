import { z } from 'zod';

const Count = z.number().int().nonnegative();

/** `assay gateway` */
export const GatewayResult = z.object({
  usage: z.object({
    /** Cached and newly cached input included. */
    inputTokens: Count,
    cachedInputTokens: Count,
    cacheWriteTokens: Count,
    /** Reasoning included. */
    outputTokens: Count,
    /** US dollars; null when no prices are known. */
    usd: z.number().nullable(),
    requests: Count,
    answered: Count,
    refused: Count,
    /** Attempts that failed and were retried, unseen by the client. */
    retries: Count,
    /** Answers that broke after their first byte. */
    broken: Count,
    /** Answers without a usage report from the service. Their tokens are estimated from bytes. */
    estimated: Count,
  }),
  /** Why it stopped by itself; null when it did not. */
  stop: z
    .object({ kind: z.enum(['budget', 'requests', 'infrastructure', 'record', 'revoked']), detail: z.string() })
    .nullable(),
});
export type GatewayResult = z.infer<typeof GatewayResult>;

/** `assay mirror` */
export const MirrorResult = z.object({
  before: z.string(),
  excluded: z.array(z.string()),
  /** Served indexes by id. Null for a package manager that this machine lacks. */
  indexes: z.record(
    z.string(),
    z
      .object({
        address: z.string(),
        /** `lowest`: the index's dates were not believed. */
        resolution: z.enum(['date', 'lowest', 'lockfile']),
      })
      .nullable(),
  ),
  requests: z.object({ answered: Count, refused: Count, failed: Count, bytes: Count }),
});
export type MirrorResult = z.infer<typeof MirrorResult>;

/** `assay fake-model` */
export const FakeModelResult = z.object({ origin: z.string(), requests: Count });

/** `assay doctor` */
export const Machine = z.object({
  assay: z.string(),
  node: z.string(),
  platform: z.string(),
  processors: Count,
  memoryBytes: Count,
  root: z.boolean(),
  providers: z.array(
    z.object({
      name: z.string(),
      isolation: z.string(),
      /** A sandbox starts and runs a command. */
      available: z.boolean(),
      limits: z.string(),
      /** Milliseconds to create a sandbox, run `true` in it and destroy it: median of five. Null when unavailable. */
      startMs: z.number().nullable(),
      /** Why it is not available, or what does not work in it. */
      problems: z.array(z.string()),
      /** A command that installs what is missing. */
      install: z.string().optional(),
    }),
  ),
  tools: z.array(
    z.object({
      name: z.string(),
      /** The first line of what it says of itself; null when it is not installed. */
      version: z.string().nullable(),
      neededFor: z.string(),
      debianPackage: z.string(),
    }),
  ),
});
export type Machine = z.infer<typeof Machine>;

/** `assay test` */
export const SelfTestResult = z.object({
  passed: Count,
  failed: Count,
  skipped: Count,
  failures: z.array(z.object({ name: z.string(), detail: z.string() })),
  elapsedMs: z.number(),
});
export type SelfTestResult = z.infer<typeof SelfTestResult>;
