import { HttpFailure } from './http-failure.ts';

/** A number that Python holds as a float: 20 prints as `20.0`. Numbers with a fraction are floats by themselves. */
export class PythonFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** A scalar of a query, a form field or a JSON document. */
export type PythonScalar = string | number | bigint | boolean | PythonFloat;

/** A JSON document to send. A Map keeps the order of keys that look like numbers, which an object does not. */
export type JsonValue =
  | PythonScalar
  | null
  | readonly JsonValue[]
  | ReadonlyMap<string, JsonValue>
  | { readonly [key: string]: JsonValue | undefined };

/** A float as Python prints it: `20.0`, `0.25`, `1e-05`, `1e+16`, `inf`. */
export function pythonFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const [mantissa = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) {
    const digits = String(Math.abs(exponent)).padStart(2, '0');
    return `${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`;
  }
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

function pythonNumber(value: number | bigint | PythonFloat): string {
  if (value instanceof PythonFloat) return pythonFloat(value.value);
  if (typeof value === 'bigint') return value.toString();
  return Number.isInteger(value) ? BigInt(value).toString() : pythonFloat(value);
}

/** `str(value)` of Python: `True`, `20.0`, the text itself. */
export function pythonText(value: PythonScalar): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return pythonNumber(value);
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\f': '\\f',
  '\b': '\\b',
};

function jsonText(text: string): string {
  const escaped = text.replace(
    /["\\]|[^ -~]/g,
    (unit) => SHORT_ESCAPES[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `"${escaped}"`;
}

/**
 * `json.dumps(value)` of Python with its defaults: `", "` and `": "` between, everything outside printable ASCII
 * escaped. A value that is undefined is left out.
 * @throws HttpFailure `request` for NaN and the infinities, which python-requests refuses too.
 */
export function pythonJson(value: JsonValue): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return jsonText(value);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof PythonFloat) {
    const number = value instanceof PythonFloat ? value.value : value;
    if (typeof number === 'number' && !Number.isFinite(number))
      throw new HttpFailure('request', 'JSON has no such number', 'connect');
    return pythonNumber(value);
  }
  if (Array.isArray(value)) return `[${value.map((each: JsonValue) => pythonJson(each)).join(', ')}]`;
  const entries: [string, JsonValue | undefined][] = value instanceof Map ? [...value] : Object.entries(value);
  const members = entries.flatMap(([key, each]) =>
    each === undefined ? [] : [`${jsonText(key)}: ${pythonJson(each)}`],
  );
  return `{${members.join(', ')}}`;
}

/** Lines as `str.splitlines()` of Python finds them, without their ends. */
export function splitLines(text: string): string[] {
  const lines = text.split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
