import { Injectable } from '@nestjs/common';
import * as sqlite3 from 'sqlite3';

@Injectable()
export class AppService {
  private readonly database = new sqlite3.Database('db.sqlite3');

  constructor() {
    this.database.run('CREATE TABLE IF NOT EXISTS calculations (expression TEXT, result TEXT)');
  }

  keep(expression: string, result: string): Promise<void> {
    return new Promise((resolve, reject) => this.database.run('INSERT INTO calculations VALUES (?, ?)', [expression, result], (error) => (error ? reject(error) : resolve())));
  }

  calculate(expression: unknown): string {
    if (typeof expression !== 'string' || expression.length > 200) throw new Error('no expression');
    const tokens = expression.match(/\d+(?:\.\d+)?|\S/g) ?? [];
    let at = 0;
    const factor = (): number => {
      const token = tokens[at++];
      if (token === '-') return -factor();
      if (token === '+') return factor();
      if (token === '(') {
        const value = sum();
        if (tokens[at++] !== ')') throw new Error('open bracket');
        return value;
      }
      if (token === undefined || !/^\d/.test(token)) throw new Error('not arithmetic');
      return Number(token);
    };
    const product = (): number => {
      let value = factor();
      while (tokens[at] === '*' || tokens[at] === '/') value = tokens[at++] === '*' ? value * factor() : value / factor();
      return value;
    };
    const sum = (): number => {
      let value = product();
      while (tokens[at] === '+' || tokens[at] === '-') value = tokens[at++] === '+' ? value + product() : value - product();
      return value;
    };
    const value = sum();
    if (at !== tokens.length || !Number.isFinite(value)) throw new Error('not arithmetic');
    return String(value);
  }
}
