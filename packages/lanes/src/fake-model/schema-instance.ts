import { field, list, textOf } from './json-access.ts';

/**
 * The least that a JSON schema (or the one of Gemini, with its upper case types) lets through, as far as it is
 * understood.
 */
export function schemaInstance(schema: unknown, depth = 0): unknown {
  const [choice] = [
    ...list(field(schema, 'enum')),
    ...list(field(schema, 'anyOf')).map((one) => schemaInstance(one, depth + 1)),
    ...list(field(schema, 'oneOf')).map((one) => schemaInstance(one, depth + 1)),
  ];
  const fixed = field(schema, 'const');
  if (fixed !== undefined) return fixed;
  if (choice !== undefined) return choice;
  const types = field(schema, 'type');
  switch (textOf(Array.isArray(types) ? types[0] : types).toLowerCase()) {
    case 'object': {
      const properties = Object.entries(field(schema, 'properties') ?? {});
      return Object.fromEntries(
        depth > 20 ? [] : properties.map(([name, inner]) => [name, schemaInstance(inner, depth + 1)]),
      );
    }
    case 'array':
      return Array.from({ length: Math.min(Number(field(schema, 'minItems') ?? 0), 100) }, () =>
        schemaInstance(field(schema, 'items'), depth + 1),
      );
    case 'number':
    case 'integer':
      return Number(field(schema, 'minimum') ?? 0);
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return 'ok';
  }
}
