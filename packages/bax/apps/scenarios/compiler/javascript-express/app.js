const { execFile } = require('node:child_process');
const fs = require('node:fs/promises');
const os = require('node:os');
const path = require('node:path');
const express = require('express');

const app = express();
app.use(express.json());

const NAME = /^\w[\w-]*\.(cpp|ts)$/;
const COMPILERS = { '.cpp': ['g++', '-fsyntax-only'], '.ts': ['tsc', '--noEmit', '--pretty', 'false'] };
const TIMEOUT = 60_000;

function run([program, ...parameters], directory) {
  return new Promise((resolve) => {
    execFile(program, parameters, { cwd: directory, timeout: TIMEOUT }, (error, stdout, stderr) => resolve({ failed: error !== null, text: stdout + stderr }));
  });
}

async function compile(name, content) {
  const directory = await fs.mkdtemp(path.join(os.tmpdir(), 'compile-'));
  try {
    const source = path.join(directory, name);
    await fs.writeFile(source, content);
    return await run([...COMPILERS[path.extname(name)], path.basename(source)], directory);
  } finally {
    await fs.rm(directory, { recursive: true, force: true });
  }
}

app.post('/compile', async (request, response) => {
  const { fileName, fileContent } = request.body;
  if (typeof fileName !== 'string' || typeof fileContent !== 'string' || !NAME.test(fileName)) {
    return response.status(400).json({ hasError: true, compilerError: 'not a file of C++ or TypeScript' });
  }
  try {
    const { failed, text } = await compile(fileName, fileContent);
    response.json({ hasError: failed, compilerError: failed ? text : null });
  } catch {
    response.status(500).json({ hasError: true, compilerError: 'the file cannot be compiled' });
  }
});

app.listen(5000, '0.0.0.0');
