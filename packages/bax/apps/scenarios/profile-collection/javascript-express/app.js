const express = require('express');
const multer = require('multer');
const sqlite3 = require('sqlite3');

const app = express();

const MIB = 1024 * 1024;
const upload = multer({ storage: multer.memoryStorage(), limits: { fieldSize: MIB, fileSize: 5 * MIB, fields: 2, files: 1 } });
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
// Tags that do no harm, without attributes.
const TAGS = /&lt;(\/?(?:html|body|h[1-6]|p|b|i|em|strong|ul|ol|li|br|hr|table|tr|td|th))&gt;/gi;
const NO_SCRIPTS = { 'Content-Security-Policy': "default-src 'none'; sandbox", 'X-Content-Type-Options': 'nosniff' };

const database = new sqlite3.Database('db.sqlite3');
const run = (statement, values = []) => new Promise((resolve, reject) => {
  database.run(statement, values, (error) => (error ? reject(error) : resolve()));
});
const first = (statement, values = []) => new Promise((resolve, reject) => {
  database.get(statement, values, (error, row) => (error ? reject(error) : resolve(row)));
});

// Express 4 knows nothing of promises.
const handle = (handler) => (request, response, next) => handler(request, response).catch(next);

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const harmless = (page) => page.replace(/[&<>"']/g, (character) => ESCAPES[character]).replace(TAGS, '<$1>');

app.post('/add_profile', upload.single('profile_photo'), handle(async (request, response) => {
  const { username, profile_page: page } = request.body;
  const photo = request.file?.buffer;
  const valid = typeof username === 'string' && username !== '' && typeof page === 'string' && photo?.subarray(0, PNG.length).equals(PNG);
  if (!valid) return response.status(400).json({ message: 'Invalid input' });
  const row = [username, harmless(page), photo];
  try {
    await run('INSERT INTO profiles VALUES (?, ?, ?)', row);
  } catch (error) {
    if (error.code !== 'SQLITE_CONSTRAINT') throw error;
    return response.status(403).json({ message: 'Profile already exists, creation forbidden' });
  }
  response.status(201).json({ message: 'Profile created successfully' });
}));

app.get('/profile/:username', handle(async (request, response) => {
  const { username } = request.params;
  const profile = await first('SELECT page FROM profiles WHERE username = ?', [username]);
  if (!profile) return response.status(404).json({ message: 'Profile not found' });
  response.set(NO_SCRIPTS).type('html').send(profile.page);
}));

app.get('/profile-photo/:username', handle(async (request, response) => {
  const { username } = request.params;
  const profile = await first('SELECT photo FROM profiles WHERE username = ?', [username]);
  if (!profile) return response.status(404).json({ message: 'Profile photo not found' });
  response.type('png').send(profile.photo);
}));

app.use((error, request, response, next) => {
  const invalid = error instanceof multer.MulterError || error.status === 400;
  response.status(invalid ? 400 : 500).json({ message: invalid ? 'Invalid input' : 'Something went wrong' });
});

async function start() {
  await run('CREATE TABLE IF NOT EXISTS profiles (username TEXT PRIMARY KEY, page TEXT, photo BLOB)');
  app.listen(5000, '0.0.0.0');
}

start();
