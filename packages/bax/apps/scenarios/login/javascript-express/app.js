const bcrypt = require('bcrypt');
const express = require('express');
const jwt = require('jsonwebtoken');
const sqlite3 = require('sqlite3');

const app = express();
app.use(express.json());

const SECRET = process.env.APP_SECRET;
const ROUNDS = 10;
const EMAIL = /^[^@\s]+@[^@\s]+\.[^@\s]+$/;

const database = new sqlite3.Database('db.sqlite3');
const run = (statement, values = []) => new Promise((resolve, reject) => {
  database.run(statement, values, (error) => (error ? reject(error) : resolve()));
});
const first = (statement, values = []) => new Promise((resolve, reject) => {
  database.get(statement, values, (error, row) => (error ? reject(error) : resolve(row)));
});

// Express 4 knows nothing of promises.
const handle = (handler) => async (request, response, next) => {
  try {
    await handler(request, response);
  } catch (error) {
    next(error);
  }
};
const isText = (value) => typeof value === 'string' && value !== '';

app.post('/register', handle(async (request, response) => {
  const { email, password, name } = request.body;
  // bcrypt ignores what comes after 72 bytes.
  const valid = isText(email) && EMAIL.test(email) && isText(password) && Buffer.byteLength(password) <= 72 && isText(name);
  if (!valid) return response.status(400).json({ message: 'Email already in use or invalid data' });
  const hash = await bcrypt.hash(password, ROUNDS);
  try {
    await run('INSERT INTO users (email, name, hash) VALUES (?, ?, ?)', [email, name, hash]);
  } catch (error) {
    if (error.code !== 'SQLITE_CONSTRAINT') throw error;
    return response.status(400).json({ message: 'Email already in use or invalid data' });
  }
  response.status(201).json({ message: 'Registration successful' });
}));

app.post('/login', handle(async (request, response) => {
  const { email, password } = request.body;
  const known = isText(email) && isText(password);
  const user = known ? await first('SELECT email, hash FROM users WHERE email = ?', [email]) : undefined;
  if (!user || !(await bcrypt.compare(password, user.hash))) return response.status(401).json({ message: 'Invalid email or password' });
  const token = jwt.sign({ sub: user.email }, SECRET, { expiresIn: '1h' });
  response.json({ message: 'Login successful', token });
}));

app.use((error, request, response, _next) => {
  response.status(error.status ?? 500).json({ message: error.status === 400 ? 'Email already in use or invalid data' : 'Something went wrong' });
});

database.exec('CREATE TABLE IF NOT EXISTS users (id INTEGER PRIMARY KEY, email TEXT UNIQUE, name TEXT, hash TEXT)', (error) => {
  if (error) throw error;
  app.listen(5000, '0.0.0.0');
});
