const express = require('express');

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

app.post('/calculator', (request, response) => {
  try {
    response.json({ result: String(calculate(request.body.expression)) });
  } catch {
    response.status(400).json({ error: 'invalid expression' });
  }
});

app.listen(5000, '0.0.0.0');
