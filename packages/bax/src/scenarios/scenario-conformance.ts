import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { z } from 'zod';
import { CWES } from '../cwe.ts';
import type { Scenario } from '../scenario.ts';

interface Schema {
  type?: string | undefined;
  $ref?: string | undefined;
  properties?: Record<string, Schema> | undefined;
  items?: Schema | undefined;
  required?: string[] | undefined;
  additionalProperties?: Schema | undefined;
}

const schema: z.ZodType<Schema> = z.lazy(() =>
  z
    .object({
      type: z.enum(['object', 'array', 'string', 'integer', 'number', 'boolean']).optional(),
      $ref: z.string().optional(),
      properties: z.record(z.string(), schema).optional(),
      items: schema.optional(),
      required: z.array(z.string()).optional(),
      additionalProperties: schema.optional(),
      format: z.string().optional(),
      nullable: z.boolean().optional(),
      enum: z.array(z.string()).optional(),
      default: z.unknown().optional(),
      example: z.unknown().optional(),
      minimum: z.number().optional(),
      maximum: z.number().optional(),
      description: z.string().optional(),
    })
    .strict(),
);
const example = z.object({ summary: z.string().optional(), value: z.unknown().optional() }).strict();
const content = z.record(
  z.string(),
  z.object({ schema, example: z.unknown().optional(), examples: z.record(z.string(), example).optional() }).strict(),
);
const response = z
  .object({
    description: z.string().min(1),
    content: content.optional(),
    headers: z.record(z.string(), z.object({ schema }).strict()).optional(),
  })
  .strict();
const parameter = z
  .object({
    name: z.string(),
    in: z.enum(['query', 'path', 'header', 'cookie']),
    required: z.boolean(),
    description: z.string().optional(),
    schema,
  })
  .strict();
const operation = z
  .object({
    summary: z.string(),
    description: z.string().optional(),
    operationId: z.string().optional(),
    security: z.array(z.record(z.string(), z.array(z.string()))).optional(),
    parameters: z.array(parameter).optional(),
    requestBody: z
      .object({ description: z.string().optional(), required: z.boolean().optional(), content })
      .strict()
      .optional(),
    responses: z
      .record(z.string().regex(/^[1-5]\d\d$/), response)
      .refine((responses) => Object.keys(responses).length > 0),
  })
  .strict();
const api = z
  .object({
    openapi: z.string().regex(/^3\.0\.\d$/),
    info: z.object({ title: z.string(), version: z.string(), description: z.string() }).strict(),
    paths: z.record(
      z.string().startsWith('/'),
      z.partialRecord(z.enum(['get', 'post', 'put', 'delete', 'patch']), operation),
    ),
    components: z
      .object({
        schemas: z.record(z.string(), schema).optional(),
        securitySchemes: z.record(z.string(), z.record(z.string(), z.string())).optional(),
      })
      .strict()
      .optional(),
    security: z.array(z.record(z.string(), z.array(z.string()))).optional(),
    tags: z.array(z.object({ name: z.string(), description: z.string() }).strict()).optional(),
  })
  .strict();

export function readApi(scenario: Scenario): z.infer<typeof api> {
  return api.parse(parse(scenario.api().openapi, { strict: true, uniqueKeys: true }));
}

/** Every property of a schema, through references. */
function properties(of: Schema | undefined, document: z.infer<typeof api>): string[] {
  if (of === undefined) return [];
  if (of.$ref !== undefined) {
    const name = /^#\/components\/schemas\/(\w+)$/.exec(of.$ref)?.[1];
    const target = name === undefined ? undefined : document.components?.schemas?.[name];
    assert.ok(target, `${of.$ref} leads nowhere`);
    return properties(target, document);
  }
  for (const name of of.required ?? [])
    assert.ok(of.properties?.[name], `the required property ${name} is not described`);
  return [
    ...Object.entries(of.properties ?? {}).flatMap(([name, inner]) => [name, ...properties(inner, document)]),
    ...properties(of.items, document),
  ];
}

export interface Call {
  line: string;
  path: string;
  statuses: string[];
  names: string[];
}

/**
 * The calls of an API as a client has to know them: method, path, names and types of the input, status codes and
 * content types of the output.
 */
export function calls(document: z.infer<typeof api>): Call[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters = [], requestBody, responses }]) => {
      const body = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => ({
        type,
        names: properties(schema, document),
      }));
      const answers = Object.entries(responses).map(([status, { content = {} }]) => ({
        status,
        types: Object.keys(content),
        names: Object.values(content).flatMap(({ schema }) => properties(schema, document)),
      }));
      const inputs = parameters.map(
        (one) => `${one.in}:${one.name}${one.required ? '!' : ''}:${one.schema.type ?? '?'}`,
      );
      return {
        path,
        statuses: answers.map((answer) => answer.status),
        names: [
          ...parameters.map((one) => one.name),
          ...body.flatMap((one) => one.names),
          ...answers.flatMap((answer) => answer.names),
        ],
        line: [
          method.toUpperCase(),
          path,
          ...inputs,
          ...body.map((one) => `${one.type}(${one.names.join(',')})`),
          '->',
          ...answers.map((answer) =>
            [answer.status, ...answer.types.map((type) => `${type}(${answer.names.join(',')})`)].join(' '),
          ),
        ].join(' '),
      };
    }),
  );
}

/**
 * Tests that every scenario must pass, ours and others: its API is sound and the same in both forms, and its tests are
 * tested themselves.
 * @param options.statusesInProse - false: the prose need not name the status codes.
 */
export function scenarioConformance(scenario: Scenario, { statusesInProse = true } = {}): void {
  const { id, cwes, summary, tests } = scenario;

  test(`${id}: the API is sound`, () => {
    const document = readApi(scenario);
    for (const call of calls(document)) {
      const inPath = [...call.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const declared = Object.values(document.paths[call.path] ?? {}).flatMap((operation) =>
        (operation.parameters ?? []).filter((one) => one.in === 'path').map((one) => one.name),
      );
      assert.deepEqual([...new Set(declared)], inPath, call.path);
    }
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    for (const one of [...operations.flatMap(({ security }) => security ?? []), ...(document.security ?? [])])
      for (const name of Object.keys(one)) assert.ok(document.components?.securitySchemes?.[name], name);
  });

  test(`${id}: the prose names every path, property and status`, () => {
    const { text } = scenario.api();
    for (const call of calls(readApi(scenario))) {
      const statuses = statusesInProse ? call.statuses : [];
      for (const word of [call.path, ...call.names, ...statuses])
        assert.ok(text.includes(word), `${word} of ${call.line}`);
    }
  });

  test(`${id}: its weaknesses are known ones, ascending, with 703`, () => {
    assert.deepEqual(
      cwes,
      [...new Set(cwes)].sort((a, b) => a - b),
    );
    assert.ok(cwes.includes(703));
    for (const cwe of cwes) assert.ok(CWES[cwe]);
    assert.match(summary, /^[a-zA-Z][^.]*$/);
    const found = (tests?.security ?? []).flatMap((each) => each.cwes).filter((cwe) => !cwes.includes(cwe));
    assert.deepEqual(found, [], 'a test finds what the scenario does not name');
  });

  if (tests === null) return;
  test(`${id}: each security test has a variant in each app that it finds`, async () => {
    const apps = (await scenario.references?.()) ?? [];
    assert.ok(apps.length > 0, 'no app tests the tests');
    for (const { framework, variants } of apps) {
      const found = new Set(variants.flatMap(({ expect }) => ('by' in expect ? [expect.by] : [])));
      assert.deepEqual(
        tests.security.map(({ name }) => name).filter((name) => !found.has(name)),
        [],
        framework,
      );
      const broken = variants.flatMap(({ expect }) => ('broken' in expect ? [expect.broken] : []));
      assert.ok(broken.includes('crashes') && broken.includes('never-starts'), framework);
    }
  });
}
