import { posix } from 'node:path';
import { originOf } from './read-registration.mjs';
import { cellOf, columnsOf } from './read-table.mjs';
import { bare, childrenOf, isCall, isFunction, isMember, propertyOf, walk } from './syntax.mjs';
import { changesOf } from './uses.mjs';

const MAX_DEPTH = 8;
const WRAPPERS = /^(TS(As|Satisfies|NonNull|Instantiation)Expression|TSTypeAssertion|TypeCastExpression)$/;
const REFUSED = /^(This|Super|Yield|Class|Assignment|Update|Import|MetaProperty|JSX|Private|Sequence|TaggedTemplate)/;
const SIMPLE = /^(Identifier|\w*Literal|ArrayExpression|ObjectExpression|\w*MemberExpression|\w*CallExpression)$/;
/** Whatever a reader knows without the test file. */
const GLOBALS = new Set(
  (
    'undefined NaN Infinity Math JSON Object Array Number String Boolean BigInt Symbol Date Map Set WeakMap RegExp Error TypeError RangeError ' +
    'SyntaxError URL URLSearchParams Uint8Array ArrayBuffer Promise parseInt parseFloat isNaN encodeURIComponent decodeURIComponent ' +
    'encodeURI decodeURI Buffer Headers Request Response FormData Blob'
  ).split(' '),
);
/** Modules of which nothing is known to who has no tests. */
const OF_TESTS =
  /^(vitest|@?jest|chai|sinon|supertest|mocha|(node:)?(assert|test|fs|path|os|child_process|url|util)($|\/))/;
/** A setup that uses them may never end, or end what runs it. */
const OF_MACHINES = /^(node:)?(https?|http2|net|tls|dgram|cluster|worker_threads|process|repl|inspector)$/;
const TEST_PLACE = /(^|\/)(tests?|__tests__|specs?|fixtures?|__mocks__|helpers?)(\/|$)/;

/** It cannot be told in a line. */
export class UnreadableError extends Error {}

/** Prints expressions of one test so that they say everything themselves: values in place of the test's own names. */
export class Renderer {
  #source;
  #columns = [];
  #roots = new Set();
  #place;
  #kept = new Set();
  #constants = new Set();

  /**
   * `index`: number of the row, where the test has a table; undefined where it has none, or nobody knows which row.
   * `assertions`: nodes of all assertions of the file.
   */
  constructor(source, { test, assertions }, index) {
    this.#source = source;
    this.#place = { test, assertions, isColumn: (binding) => this.#columns.some(({ paths }) => paths.has(binding)) };
    const { levels } = test;
    const tables = levels.filter(({ table }) => table !== null);
    if (tables.length !== 1 || index === undefined) return;
    const [{ table, body }] = tables;
    if (table.rows === null || (!body && table.style !== 'loop')) return;
    this.#columns = [{ table, row: table.rows[index], paths: columnsOf(body, table) }];
  }

  /** Where what is printed stands, before which nothing may have changed it; `kept`: variables that keep their names. */
  at(site, kept = new Set()) {
    this.#kept = kept;
    this.#roots = new Set();
    this.#constants = new Set();
    this.#place = { ...this.#place, site };
    return this.#place;
  }

  /** Prints an expression: `{text, roots}`; `roots` are the names of the code under test in it. */
  render(node, isArgument = false) {
    const outer = this.#roots;
    this.#roots = new Set();
    const text = this.#text(node, { depth: 0, within: [node], isArgument });
    const roots = this.#roots;
    this.#roots = new Set([...outer, ...roots]);
    if ([...this.#kept].some(({ name }) => roots.has(name))) throw new UnreadableError();
    return { text, roots: [...roots] };
  }

  /** The same for expressions that ask the same code about the same values, of all that was printed since `at`. */
  inputs() {
    return `${[...this.#roots].sort().join(',')}(${[...this.#constants].sort().join(',')})`;
  }

  /** Prints a statement without its end. */
  renderStatement(node) {
    if (node.type === 'VariableDeclaration') {
      const [{ id, init }] = node.declarations;
      return `const ${this.render(id, true).text} = ${this.render(init, true).text}`;
    }
    const { expression } = node;
    if (expression.type !== 'AssignmentExpression') return this.render(expression, true).text;
    const { left, right, operator } = expression;
    return `${this.render(left, true).text} ${operator} ${this.render(right, true).text}`;
  }

  #text(node, state) {
    if (state.depth > MAX_DEPTH || REFUSED.test(node.type)) throw new UnreadableError();
    if (WRAPPERS.test(node.type)) return this.#text(node.expression, state);
    if (node.isKey) return JSON.stringify(node.value);
    const cell = this.#cellOf(node);
    if (cell) return this.#inlined(cell, state);
    if (node.type === 'Identifier') return this.#identifier(node, state);
    if (/Literal$/.test(node.type) && state.isArgument) this.#constants.add(this.#slice(node.start, node.end));
    if (isMember(node) && state.isArgument) this.#constants.add(propertyOf(node) ?? '');
    return this.#parts(node, state);
  }

  #slice = (start, end) => this.#source.text.slice(start, end);

  /** The text of a node, each part of it rendered. */
  #parts(node, state) {
    let at = node.start;
    let text = '';
    for (const child of childrenOf(node)) {
      const inner = {
        ...state,
        isArgument: state.isArgument || node.arguments?.includes(child),
        isWhole: isWhole(child),
      };
      const isShorthand = node.type === 'ObjectProperty' && node.shorthand && child !== node.key;
      if (child.start < at) {
        // The one identifier of a shorthand is its key and its value.
        if (isShorthand) text += this.#shorthand(child, inner);
        continue;
      }
      const gap = this.#gap(at, child.start);
      text += isEnded(text, node) ? `${gap}${this.#text(child, inner)}` : `;${gap}${this.#text(child, inner)}`;
      at = child.end;
    }
    return text + (at === node.start ? this.#slice(at, node.end) : this.#gap(at, node.end));
  }

  /** What stands between parts of a node, on one line and without comments. */
  #gap(start, end) {
    let at = start;
    let text = '';
    for (const comment of this.#source.comments) {
      if (comment.start < at || comment.end > end) continue;
      text += this.#slice(at, comment.start);
      at = comment.end;
    }
    text += this.#slice(at, end);
    if (!text.includes('\n')) return text;
    return text
      .replace(/,?\s*\n\s*(?=[)\]])/g, '')
      .replace(/([([])\s*\n\s*/g, '$1')
      .replace(/\s*\n\s*(?=\??\.)/g, '')
      .replace(/,?\s*\n\s*(?=\})/g, ' ')
      .replace(/\s*\n\s*/g, ' ');
  }

  #shorthand(node, state) {
    const text = this.#text(node, state);
    return text === node.name ? '' : `: ${text}`;
  }

  #cellOf(node) {
    const keys = [];
    let base = node;
    while (isMember(base)) {
      const key = propertyOf(base);
      if (key === undefined) return null;
      keys.unshift(key);
      base = base.object;
    }
    const { binding } = base;
    if (base.type !== 'Identifier' || !binding || binding.writes > 0) return null;
    const column = this.#columns.find(({ paths }) => paths.has(binding));
    return column ? cellOf(column.row, [...column.paths.get(binding), ...keys], column.table) : null;
  }

  #inlined(node, state) {
    const text = this.#text(node, { ...state, depth: state.depth + 1, within: [...state.within, node] });
    return SIMPLE.test(bare(node).type) || node.isKey || state.isWhole ? text : `(${text})`;
  }

  #identifier(node, state) {
    const { name, binding } = node;
    if (binding === undefined) return name;
    if (binding === null) {
      if (!GLOBALS.has(name)) throw new UnreadableError();
      return name;
    }
    const { id } = binding;
    // It is declared within what is printed: a parameter of a callback.
    if (id && state.within.some(({ start, end }) => id.start >= start && id.end <= end)) return name;
    const origin = originOf(binding);
    if (origin !== null) {
      const isRefused = this.#kept.size > 0 && OF_MACHINES.test(origin.source);
      if (isRefused || !isOfCode(origin.source, this.#source.path)) throw new UnreadableError();
      this.#roots.add(name);
      return name;
    }
    if (this.#kept.has(binding)) return name;
    const isPlain = binding.isPlain && /^(const|let|var)$/.test(binding.kind);
    if (!binding.init || binding.writes > 0 || !(isPlain || binding.kind === 'function')) throw new UnreadableError();
    const { inside, elsewhere } = changesOf(binding, this.#place);
    if (inside.length > 0 || elsewhere.length > 0) throw new UnreadableError();
    return this.#inlined(binding.init, state);
  }
}

/** Whether a statement of a block may follow on the same line. */
const isEnded = (text, { type }) => type !== 'BlockStatement' || text === '' || /[;}]\s*$/.test(text);

/** Whether it stands between commas, so that it needs no parentheses. */
function isWhole(node) {
  const { parent } = node;
  return parent.arguments?.includes(node) || parent.type === 'ArrayExpression' || parent.type === 'ObjectProperty';
}

function isOfCode(source, path) {
  if (OF_TESTS.test(source)) return false;
  return !source.startsWith('.') || !TEST_PLACE.test(posix.join(posix.dirname(path), source));
}

/** Whether an expression does something, or names what came of something, and is no other name. */
export function asksSomething(node, depth = 0) {
  let asks = false;
  walk(node, (each) => {
    asks ||=
      isCall(each) || each.type === 'NewExpression' || isMember(each) || (depth < MAX_DEPTH && isAnswer(each, depth));
    return true;
  });
  return asks;
}

function isAnswer({ type, binding }, depth) {
  const init = type === 'Identifier' && originOf(binding) === null ? binding?.declarator?.init : null;
  return Boolean(init) && !isFunction(bare(init)) && asksSomething(init, depth + 1);
}

/** A variable of the test itself, such as a list to which what is asked adds. */
export const isVariable = ({ type, binding }) =>
  type === 'Identifier' && Boolean(binding?.declarator) && originOf(binding) === null;
