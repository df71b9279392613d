import { printPure, quote } from './print-pure.mjs';
import { cellOf, columnsOf } from './read-table.mjs';
import { isMember, propertyOf } from './syntax.mjs';

/** What a test takes from rows of its tables: columns whose cells all stay outside. */
export class Rows {
  #levels;
  #columns = [];
  #known = new Map();

  constructor({ levels }) {
    this.#levels = levels
      .filter(({ table }) => table !== null)
      .map(({ table, body }, index) => ({
        table,
        index,
        paths: table.rows && (body || table.style === 'loop') ? columnsOf(body, table) : new Map(),
      }));
  }

  /** For the evaluator: `{table, cells}`, with the number of the table from the outside. */
  get columns() {
    return this.#columns;
  }

  /** Prints what reads a column; null for anything else. */
  column(node, scope) {
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
    const level = this.#levels.find(({ paths }) => paths.has(binding));
    return level ? this.#read(level, [...level.paths.get(binding), ...keys], scope) : null;
  }

  #read({ table, index }, path, scope) {
    const key = `${index} ${quote(JSON.stringify(path))}`;
    if (!this.#known.has(key)) {
      const inner = { ...scope, column: () => null };
      const cells = table.rows.map((row) => {
        const cell = cellOf(row, path, table);
        return cell === null ? null : printPure(cell, inner);
      });
      const isWhole = cells.length > 0 && !cells.includes(null);
      this.#known.set(key, isWhole ? `$r[${this.#columns.push({ table: index, cells }) - 1}]` : null);
    }
    return this.#known.get(key);
  }
}
