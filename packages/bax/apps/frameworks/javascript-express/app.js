const express = require('express');
const sqlite3 = require('sqlite3');

const app = express();
app.use(express.json());

const LONGEST = 200;

function calculate(expression) {
  if (typeof expression !== 'string' || expression.length > LONGEST) throw new Error('no expression');
  const tokens = expression.match(/\d+(?:\.\d+)?|[-+*/()]|\S/g) ?? [];
  let at = 0;
  const peek = () => tokens[at];
  function factor() {
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
  }
  function product() {
    let value = factor();
    while (peek() === '*' || peek() === '/') value = tokens[at++] === '*' ? value * factor() : value / factor();
    return value;
  }
  function sum() {
    let value = product();
    while (peek() === '+' || peek() === '-') value = tokens[at++] === '+' ? value + product() : value - product();
    return value;
  }
  const value = sum();
  if (at !== tokens.length || !Number.isFinite(value)) throw new Error('not arithmetic');
  return value;
}

const database = new sqlite3.Database('db.sqlite3');
database.run('CREATE TABLE IF NOT EXISTS calculations (expression TEXT, result TEXT)');

const keep = (expression, result) =>
  new Promise((resolve, reject) => database.run('INSERT INTO calculations VALUES (?, ?)', [expression, result], (error) => (error ? reject(error) : resolve())));

app.post('/calculator', async (request, response) => {
  let result;
  try {
    result = String(calculate(request.body.expression));
  } catch {
    response.status(400).json({ error: 'invalid expression' });
    return;
  }
  await keep(request.body.expression, result);
  response.json({ result });
});

app.listen(5000, '0.0.0.0');
