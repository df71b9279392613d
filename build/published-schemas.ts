import { z } from 'zod';
import * as protocol from '@assay/protocol';

/** Shapes that have a name of their own, because files hold them or several results do. */
const NAMED = {
  AssayMetadata: protocol.AssayMetadata,
  DatasetLedger: protocol.DatasetLedger,
  ErrorDocument: protocol.ErrorDocument,
  ItemFailure: protocol.ItemFailure,
  Job: protocol.Job,
  Judgement: protocol.Judgement,
  Proof: protocol.Proof,
  ProgressEvent: protocol.ProgressEvent,
  Receipt: protocol.Receipt,
  ReceiptEnvelope: protocol.ReceiptEnvelope,
  SampleGrade: protocol.SampleGrade,
  Standard: protocol.Standard,
  TaskToml: protocol.TaskToml,
  Trajectory: protocol.Trajectory,
  Trial: protocol.Trial,
  TrialUsage: protocol.TrialUsage,
  Trust: protocol.Trust,
  Verdict: protocol.Verdict,
} as const satisfies Record<string, z.ZodType>;

const Schemas = z.object({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) });

export interface PublishedSchemas {
  $schema: string;
  title: string;
  /** JSON Schema 2020-12 by name: a type of `@assay/protocol`, or the name of a command. */
  $defs: Record<string, object>;
}

/** `packages/protocol/schemas.json`: all that Assay writes, and what each command prints with `--json`. */
export function publishedSchemas(): PublishedSchemas {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries<z.ZodType>(NAMED)) registry.add(schema, { id });
  const aliases: Record<string, object> = {};
  for (const [command, schema] of Object.entries<z.ZodType>(protocol.RESULTS)) {
    const known = registry.get(schema);
    if (known === undefined) registry.add(schema, { id: command });
    else aliases[command] = { $ref: placeOf(known.id) };
  }
  const { schemas } = Schemas.parse(
    z.toJSONSchema(registry, { io: 'output', unrepresentable: 'any', cycles: 'ref', uri: placeOf }),
  );
  const own = Object.entries(withoutShared(schemas)).map(([id, schema]) => [id, withoutPlace(schema)] as const);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'What Assay writes',
    $defs: { ...Object.fromEntries(own), ...aliases },
  };
}

const placeOf = (id: string): string => `#/$defs/${id.replaceAll(' ', '%20')}`;

/** Where a schema stands is said by where it stands. */
const withoutPlace = (schema: object): object =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$schema' && key !== '$id'));

type JsonSchemas = Record<string, Record<string, unknown>>;

/** Moves the schemas that zod keeps apart, because they refer to themselves, among the others. */
function withoutShared({ __shared, ...schemas }: JsonSchemas): JsonSchemas {
  if (__shared === undefined) return schemas;
  const shared = z.record(z.string(), z.record(z.string(), z.unknown())).parse(__shared['$defs']);
  const text = JSON.stringify({ ...schemas, ...shared }).replaceAll('#/$defs/__shared#/$defs/', '#/$defs/');
  return Schemas.shape.schemas.parse(JSON.parse(text));
}
