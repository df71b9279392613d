import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseSignatureType, type Signature, type SignatureType } from '@assay/protocol/type-signature';
import { bubblewrapProvider } from '../../providers/bubblewrap/bubblewrap-provider.ts';
import { runTests } from '../../run-tests/run-tests.ts';
import type { TestCase } from '../../run-tests/test-case.ts';
import { findRustFunction } from './find-rust-function.ts';
import { maskRust } from './mask-rust.ts';

const provider = bubblewrapProvider();
const type = (text: string): SignatureType => parseSignatureType(text) ?? assert.fail(text);
const signature = (parameters: string[], returns: string): Signature => ({
  parameters: parameters.map(type),
  returns: type(returns),
});
const run = (code: string, given: Signature, cases: TestCase[], functionName = 'f') =>
  runTests(provider, code, functionName, cases, { language: 'rust', signature: given, timeoutMs: 10_000 });
const errors = async (...given: Parameters<typeof run>): Promise<(string | undefined)[]> =>
  (await run(...given)).map(({ error }) => error);

describe('Rust submissions as they are written', () => {
  const sum = signature(['list<i64>', 'string'], 'i64');
  const forms: Record<string, string | [string, string]> = {
    'by value':
      'fn f(items: Vec<i64>, text: String) -> i64 {\n    println!("{text}");\n    items.iter().sum::<i64>() + text.len() as i64\n}\nfn main() {}',
    'by reference':
      '//! Sums.\n#![allow(dead_code)]\npub fn f(items: &[i64], text: &str) -> i64 { items.iter().sum::<i64>() + text.len() as i64 }',
    'by other references':
      "pub fn f<'a>(items: &'a Vec<i32>, text: &'a String) -> usize { items.iter().sum::<i32>() as usize + text.len() }",
    'by references to write through':
      "fn f(items: &mut Vec<u8>, mut text: String) -> f64 { items.push(0); text.push('x'); items.iter().sum::<u8>() as f64 + text.len() as f64 - 1.0 }",
    generic:
      'use std::iter::Sum;\nfn f<T: Copy + Sum<T>, S: AsRef<str>>(items: Vec<T>, _text: S) -> T where T: std::ops::Add<Output = T> { items.iter().copied().sum() }',
    'a method of contests':
      'impl Solution {\n    pub fn f(items: Vec<i32>, text: String) -> i32 { items.iter().sum::<i32>() + text.len() as i32 }\n}',
    'a method of a value': [
      '#[derive(Default)]\nstruct Tools { n: i64 }\nimpl Tools {\n    fn f(&self, items: Vec<i64>, text: &str) -> i64 { items.iter().sum::<i64>() + self.n + text.len() as i64 }\n}',
      'Tools.f',
    ],
    'an option':
      'fn f(items: &[i64], text: &str) -> Option<i64> { Some(items.iter().sum::<i64>() + text.len() as i64) }',
    'a result':
      'fn f(items: &[i64], text: &str) -> Result<i64, Box<dyn std::error::Error>> { Ok(items.iter().sum::<i64>() + text.len() as i64) }',
    'words that mislead':
      "// fn f() {\n/* fn f(x: /* nested */ i64) */\nconst TEXT: &str = \"fn f() { \\\" {\";\nconst RAW: &str = r#\"fn f( \" {\"#;\nconst QUOTE: char = '\"';\nfn g<'a>(x: &'a str) -> &'a str { x }\nfn f(items: &[i64], text: &str) -> i64 { let _ = (TEXT, RAW, QUOTE, '{', '\\''); items.iter().sum::<i64>() + g(text).len() as i64 }",
    'a fenced block':
      'So:\n```rust\nfn f(items: Vec<i64>, text: String) -> i64 { items.iter().sum::<i64>() + text.len() as i64 }\n```\nDone.',
  };
  for (const [name, form] of Object.entries(forms)) {
    test(name, async () => {
      const [code, functionName] = typeof form === 'string' ? [form, 'f'] : form;
      assert.deepEqual(
        await errors(
          code,
          sum,
          [
            { input: [[2, 3], ''], expected: 5 },
            { input: [[], ''], expected: 0 },
          ],
          functionName,
        ),
        [undefined, undefined],
      );
    });
  }
  const bad: Record<string, [string, RegExp]> = {
    'what does not compile': [
      'fn f(items: Vec<i64>, text: String) -> i64 {\n    items + 1\n}',
      /^it does not compile: line 2: cannot add/,
    ],
    'another name': ['fn g() {}', /^the submission defines no function f$/],
    'another number of parameters': ['fn f(items: Vec<i64>) -> i64 { 0 }', /takes 1 arguments, not 2/],
    'a type that takes no such value': [
      'fn f(items: Vec<String>, text: String) -> i64 { 0 }',
      /argument 1: .* cannot be given as String/,
    ],
    'a result of an unknown type': [
      'struct Odd;\nfn f(items: Vec<i64>, text: String) -> Odd { Odd }',
      /cannot be called as the signature says/,
    ],
    'an error': [
      'fn f(items: Vec<i64>, text: String) -> Result<i64, String> { Err("not today".into()) }',
      /^it threw error: not today$/,
    ],
    'an error that only debugs': [
      '#[derive(Debug)]\nenum Odd { Very(i32) }\nfn f(items: Vec<i64>, text: String) -> Result<i64, Odd> { Err(Odd::Very(1)) }',
      /^it threw Odd: Very\(1\)$/,
    ],
    'a panic': ['fn f(items: Vec<i64>, text: String) -> i64 { items[7] }', /^it threw panic: index out of bounds/],
    'no Rust at all': ['fn f I cannot help with that.', /defines no function f/],
  };
  for (const [name, [code, says]] of Object.entries(bad)) {
    test(`${name}: one line that says so`, async () => {
      const [error] = await errors(code, sum, [{ input: [[2, 3], ''], expected: 5 }]);
      assert.match(error ?? '', says);
    });
  }
});

test('values of Rust go in and out', async () => {
  const code = `use std::collections::*;
fn f(flag: bool, number: i64, real: f64, text: char, items: &[&str], table: HashMap<String, Vec<f32>>, maybe: Option<String>, none: Option<i64>)
  -> ((bool, i64, f64, f64, f64), (String, Vec<String>, BTreeMap<String, Vec<f32>>, Option<String>, Option<i64>), (BTreeMap<i32, char>, BTreeSet<u8>, HashMap<&'static str, u64>)) {
  ((!flag, number, real, f64::NAN, -0.0), (format!("{text}é😀\\u{1}"), items.iter().map(|each| each.to_string()).collect(), table.into_iter().collect(), maybe, none),
   (BTreeMap::from([(1, 'a')]), BTreeSet::from([2]), HashMap::from([("$type", u64::MAX)])))
}`;
  const big = { $type: 'bigint', value: '9223372036854775807' };
  const expected = [
    [false, big, 1e-7, Number.NaN, -0],
    ['"é😀\u0001', ['a', 'b'], { x: [Number.POSITIVE_INFINITY, 1.5] }, 'yes', null],
    [
      { $type: 'map', entries: [[1, 'a']] },
      { $type: 'set', values: [2] },
      { $type: 'object', entries: [['$type', { $type: 'bigint', value: '18446744073709551615' }]] },
    ],
  ];
  const given = signature(
    ['bool', 'i64', 'f64', 'string', 'list<string>', 'map<list<f64>>', 'optional<string>', 'optional<i64>'],
    'list<string>',
  );
  assert.deepEqual(
    await errors(code, given, [
      { input: [true, big, 1e-7, '"', ['a', 'b'], { x: [Number.POSITIVE_INFINITY, 1.5] }, 'yes', null], expected },
    ]),
    [undefined],
  );
});

test('the declaration is found among what looks like one', () => {
  assert.equal(maskRust('a/*b\n*/c\'d\'"e\\""r#"f"#\'g'), `a   \n  c${' '.repeat(14)}'g`);
  assert.deepEqual(
    findRustFunction(
      'mod a { fn f() {} }\nimpl<T: Fn(u8) -> u8> Tool<T> for Solution where T: Copy { fn f(&self, a: Vec<(i64, u8)>, b: [u8; 3]) {} }',
      'f',
    ),
    { path: 'f', receiver: 'Solution', parameters: ['Vec<(i64, u8)>', '[u8; 3]'], generic: false },
  );
  assert.equal(findRustFunction(`${'/*'.repeat(100_000)} fn f() {}`, 'f'), null);
  assert.equal(findRustFunction(`${'{'.repeat(100_000)} fn f() {}`, 'f'), null);
});
