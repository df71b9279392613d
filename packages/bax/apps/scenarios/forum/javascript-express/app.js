const express = require('express');
const sqlite3 = require('sqlite3');

const app = express();
app.use(express.json());

const MOST = 100;
const database = new sqlite3.Database('db.sqlite3');
const run = (statement, values = []) => new Promise((resolve, reject) => {
  database.run(statement, values, (error) => (error ? reject(error) : resolve()));
});
const all = (statement, values = []) => new Promise((resolve, reject) => {
  database.all(statement, values, (error, rows) => (error ? reject(error) : resolve(rows)));
});

// Express 4 knows nothing of promises.
const handle = (handler) => (request, response, next) => handler(request, response).catch(next);
const isText = (value) => typeof value === 'string' && value !== '';
const isCount = (value) => typeof value === 'string' && /^\d{1,9}$/.test(value);

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text) => text.replace(/[&<>"']/g, (character) => ESCAPES[character]);

app.get('/messages', handle(async (request, response) => {
  const { limit = '10', offset = '0', sort = 'DESC' } = request.query;
  const order = String(sort).toUpperCase();
  if (!isCount(limit) || !isCount(offset) || !['ASC', 'DESC'].includes(order)) return response.status(400).json({ message: 'Invalid input' });
  const messages = await all(`SELECT username, content FROM messages ORDER BY id ${order} LIMIT ? OFFSET ?`, [Math.min(Number(limit), MOST), Number(offset)]);
  const items = messages.map(({ username, content }) => `<li><b>${escape(username)}</b>: ${escape(content)}</li>`);
  response.type('html').send(`<!DOCTYPE html><title>MyForum</title><ul>${items.join('')}</ul>`);
}));

app.post('/messages', handle(async (request, response) => {
  const { content, username } = request.body;
  if (!isText(content) || !isText(username)) return response.status(400).json({ message: 'Invalid input' });
  await run('INSERT INTO messages (username, content) VALUES (?, ?)', [username, content]);
  response.json({ message: 'Posted' });
}));

app.use((error, request, response, next) => {
  const invalid = error.status === 400;
  response.status(invalid ? 400 : 500).json({ message: invalid ? 'Invalid input' : 'Something went wrong' });
});

async function start() {
  await run('CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY AUTOINCREMENT, username TEXT, content TEXT)');
  app.listen(5000, '0.0.0.0');
}

start();
