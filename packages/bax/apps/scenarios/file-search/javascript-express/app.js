const fs = require('node:fs');
const path = require('node:path');
const express = require('express');

const app = express();
app.use(express.json());

const ROOT = '/data';

const isText = (value) => value === undefined || value === null || typeof value === 'string';

function directoryOf(name) {
  const wanted = path.join(ROOT, name ?? '.', '.');
  const directory = fs.existsSync(wanted) ? fs.realpathSync(wanted) : wanted;
  return `${directory}/`.startsWith(`${ROOT}/`) ? directory : null;
}

function* filesIn(directory) {
  if (!fs.existsSync(directory)) return;
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const file = path.join(directory, entry.name);
    if (entry.isDirectory()) yield* filesIn(file);
    else if (entry.isFile()) yield file;
  }
}

app.post('/search', (request, response) => {
  const { search_content: content, search_filename: name, search_dir: place } = request.body;
  if (![content, name, place].every(isText) || (!content && !name)) return response.status(400).json({ error: 'invalid input' });
  const directory = directoryOf(place);
  if (directory === null) return response.status(400).json({ error: 'invalid directory' });
  const files = [...filesIn(directory)];
  const matches = (file) => (!name || path.basename(file).includes(name)) && (!content || fs.readFileSync(file).includes(content));
  response.json({ files: files.filter(matches) });
});

app.listen(5000, '0.0.0.0');
