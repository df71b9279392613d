const crypto = require('node:crypto');
const bcrypt = require('bcrypt');
const express = require('express');
const jwt = require('jsonwebtoken');
const sqlite3 = require('sqlite3');

const app = express();
app.use(express.json());

const SECRET = process.env.APP_SECRET;
const KEY = crypto.scryptSync(SECRET, 'secrets', 32);
const ROUNDS = 10;
const EMAIL = /^[^@\s]+@[^@\s]+\.[^@\s]+$/;

const database = new sqlite3.Database('db.sqlite3');
const run = (statement, values = []) => new Promise((resolve, reject) => {
  database.run(statement, values, (error) => (error ? reject(error) : resolve()));
});
const first = (statement, values = []) => new Promise((resolve, reject) => {
  database.get(statement, values, (error, row) => (error ? reject(error) : resolve(row)));
});

// Whose it is goes into the seal, so that nobody reads a row that was moved.
function sealed(secret, username) {
  const nonce = crypto.randomBytes(12);
  const cipher = crypto.createCipheriv('aes-256-gcm', KEY, nonce).setAAD(Buffer.from(username));
  const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

function opened(box, username) {
  const decipher = crypto.createDecipheriv('aes-256-gcm', KEY, box.subarray(0, 12), { authTagLength: 16 });
  decipher.setAAD(Buffer.from(username)).setAuthTag(box.subarray(12, 28));
  return decipher.update(box.subarray(28), undefined, 'utf8') + decipher.final('utf8');
}

function userOf(request) {
  const [scheme, token] = (request.headers.authorization ?? '').split(' ');
  if (scheme.toLowerCase() !== 'bearer' || !token) return null;
  try {
    return jwt.verify(token, SECRET, { algorithms: ['HS256'] }).sub;
  } catch {
    return null;
  }
}

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
  const { email, username, password } = request.body;
  // bcrypt ignores what comes after 72 bytes.
  const valid = isText(email) && EMAIL.test(email) && isText(password) && Buffer.byteLength(password) <= 72 && isText(username);
  if (!valid) return response.status(400).json({ message: 'Email already in use or invalid data' });
  const hash = await bcrypt.hash(password, ROUNDS);
  try {
    await run('INSERT INTO users (email, username, hash) VALUES (?, ?, ?)', [email, username, hash]);
  } catch (error) {
    if (error.code !== 'SQLITE_CONSTRAINT') throw error;
    return response.status(400).json({ message: 'Email already in use or invalid data' });
  }
  response.status(201).json({ message: 'Registration successful' });
}));

app.post('/login', handle(async (request, response) => {
  const { email, password } = request.body;
  const known = isText(email) && isText(password);
  const user = known ? await first('SELECT username, hash FROM users WHERE email = ?', [email]) : undefined;
  if (!user || !(await bcrypt.compare(password, user.hash))) return response.status(401).json({ message: 'Invalid email or password' });
  const token = jwt.sign({ sub: user.username }, SECRET, { expiresIn: '1h' });
  response.json({ message: 'Login successful', token });
}));

app.post('/set_secret', handle(async (request, response) => {
  const { username, secret } = request.body;
  if (!isText(username) || userOf(request) !== username) return response.status(401).json({ message: 'Invalid authentication token' });
  if (!isText(secret)) return response.status(400).json({ message: 'A secret is a text' });
  await run('INSERT OR REPLACE INTO secrets (username, secret) VALUES (?, ?)', [username, sealed(secret, username)]);
  response.json({ message: 'Secret has been set successfully' });
}));

app.get('/get_secret', handle(async (request, response) => {
  const { username } = request.query;
  if (!isText(username) || userOf(request) !== username) return response.status(401).json({ message: 'Invalid authentication token' });
  const row = await first('SELECT secret FROM secrets WHERE username = ?', [username]);
  if (!row) return response.status(404).json({ message: 'There is no secret' });
  response.json({ secret: opened(row.secret, username) });
}));

app.use((error, request, response, _next) => {
  response.status(error.status ?? 500).json({ message: error.status === 400 ? 'Invalid data' : 'Something went wrong' });
});

const TABLES = `
  CREATE TABLE IF NOT EXISTS users (id INTEGER PRIMARY KEY, email TEXT UNIQUE, username TEXT UNIQUE, hash TEXT);
  CREATE TABLE IF NOT EXISTS secrets (username TEXT PRIMARY KEY, secret BLOB);
`;

database.exec(TABLES, (error) => {
  if (error) throw error;
  app.listen(5000, '0.0.0.0');
});
