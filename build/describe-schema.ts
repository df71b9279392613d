import { z } from 'zod';

const Node = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  additionalProperties: z.unknown().optional(),
  items: z.unknown().optional(),
  prefixItems: z.array(z.unknown()).optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  $ref: z.string().optional(),
});

/** Levels of objects that are spelled out; what lies deeper is `…`. */
const DEPTH = 3;
/** Words of an enumeration that are listed. */
const MOST_CHOICES = 6;

/** A JSON Schema in one line for people, such as `{id: string, passes: number, note?: string}`. */
export function describeSchema(schema: unknown, depth = DEPTH): string {
  const node = Node.parse(schema);
  if (node.$ref !== undefined) return decodeURIComponent(node.$ref.split('/').at(-1) ?? '');
  if (node.const !== undefined) return JSON.stringify(node.const);
  if (node.enum !== undefined)
    return node.enum.length > MOST_CHOICES ? 'string' : node.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = node.anyOf ?? node.oneOf;
  if (choices !== undefined) return [...new Set(choices.map((choice) => describeSchema(choice, depth)))].join(' | ');
  if (node.prefixItems !== undefined)
    return `[${node.prefixItems.map((item) => describeSchema(item, depth)).join(', ')}]`;
  if (node.type === 'array') return `[${node.items === undefined ? '…' : describeSchema(node.items, depth)}]`;
  if (node.type === 'object') return describeObject(node, depth);
  const types = [node.type ?? '…'].flat();
  return types.map((type) => (type === 'integer' ? 'number' : type)).join(' | ');
}

function describeObject(
  { properties = {}, required = [], additionalProperties }: z.infer<typeof Node>,
  depth: number,
): string {
  const names = Object.keys(properties);
  const isMap = names.length === 0 && typeof additionalProperties === 'object' && additionalProperties !== null;
  if (depth === 0 && (names.length > 0 || isMap)) return '{…}';
  if (isMap) return `{[name]: ${describeSchema(additionalProperties, depth - 1)}}`;
  const fields = names.map((name) => {
    const shown = depth === 1 && isDeep(properties[name]) ? '' : `: ${describeSchema(properties[name], depth - 1)}`;
    return `${name}${required.includes(name) ? '' : '?'}${shown}`;
  });
  return `{${fields.join(', ')}}`;
}

/** Whether only its name would be shown. */
function isDeep(schema: unknown): boolean {
  const text = describeSchema(schema, 0);
  return text.includes('{…}') || text === '…';
}
