import type { SignatureType } from '@assay/protocol/type-signature';
import type { RustFunction } from './find-rust-function.ts';
import { maskRust } from './mask-rust.ts';

/**
 * The submission as a module, followed by the function that the harness calls: it makes of each argument what the
 * submission's function takes there, by value or by reference. Which type that is, the compiler infers; where it cannot
 * (the function is generic), the signature says.
 */
export function rustSource(source: string, target: RustFunction, types: readonly SignatureType[]): string {
  const makes = target.parameters.map((parameter, place) => argument(parameter, place, target.generic, types[place]));
  const needsSolution = /\bimpl\s+Solution\b/.test(source) && !/\b(?:struct|enum)\s+Solution\b/.test(maskRust(source));
  const receiver =
    target.receiver === null
      ? ''
      : needsSolution || isUnit(source, target.receiver)
        ? `(${target.receiver} {}).`
        : `<${target.receiver} as ::std::default::Default>::default().`;
  return [
    `${source}\n`,
    needsSolution ? 'pub struct Solution;' : '',
    'pub fn assay_target(given: &[::assay::Json])',
    '-> ::std::result::Result<::std::string::String, ::std::string::String> {',
    'use ::assay::{ErrorAsText as _, ErrorAsDebug as _, ErrorAsNothing as _, AsValue as _};',
    `::assay::count(given, ${target.parameters.length})?;`,
    ...makes.map(({ statement }) => statement),
    `let assay_result = ${receiver}${target.path}(${makes.map(({ expression }) => expression).join(', ')});`,
    '(&&&&::assay::Returned(assay_result)).outcome()',
    '}\n',
  ]
    .filter((line) => line !== '')
    .join('\n');
}

/** The root of the crate. */
export const RUST_MAIN = 'mod submission;\nfn main() { ::assay::run(submission::assay_target) }\n';

interface Argument {
  statement: string;
  expression: string;
}

function argument(parameter: string, place: number, generic: boolean, type: SignatureType | undefined): Argument {
  const name = `assay_${place}`;
  const [, reference = '', inner = ''] = /^(& ?mut |& ?)?(.*)$/s.exec(parameter) ?? [];
  const borrow = reference === '' ? '' : reference.includes('mut') ? '&mut ' : '&';
  const make = (kind: string): string => `let mut ${name}${kind} = ::assay::take(given, ${place})?;`;
  const named = generic || /\bimpl\b|\bdyn\b/.test(inner) ? (type ? rustType(type) : '_') : '_';
  if (inner === 'str') return { statement: make(': ::std::string::String'), expression: `${borrow}${name}[..]` };
  if (/^(?:\[& ?str\]|Vec<& ?str>)$/.test(inner)) {
    const views = `let mut ${name}: ::std::vec::Vec<&str> = ${name}.iter().map(|each| &each[..]).collect();`;
    return {
      statement: `${make(': ::std::vec::Vec<::std::string::String>')} ${views}`,
      expression: inner.startsWith('[') ? `${borrow}${name}[..]` : `${borrow}${name}`,
    };
  }
  if (inner.startsWith('[') && !inner.includes(';'))
    return { statement: make(`: ${named === '_' ? '::std::vec::Vec<_>' : named}`), expression: `${borrow}${name}[..]` };
  return { statement: make(named === '_' ? '' : `: ${named}`), expression: `${borrow}${name}` };
}

function rustType(type: SignatureType): string {
  switch (type.kind) {
    case 'string':
      return '::std::string::String';
    case 'list':
      return `::std::vec::Vec<${rustType(type.of)}>`;
    case 'map':
      return `::std::collections::HashMap<::std::string::String, ${rustType(type.of)}>`;
    case 'optional':
      return `::std::option::Option<${rustType(type.of)}>`;
    default:
      return type.kind;
  }
}

function isUnit(source: string, name: string): boolean {
  return new RegExp(`\\bstruct\\s+${name}\\s*(?:;|\\{\\s*\\}|\\(\\s*\\))`).test(source);
}
