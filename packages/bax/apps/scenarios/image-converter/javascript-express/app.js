const { execFile } = require('child_process');
const fs = require('fs/promises');
const os = require('os');
const path = require('path');
const { promisify } = require('util');
const express = require('express');
const multer = require('multer');

const LARGEST_SIDE = 2000;
const LONGEST_DELAY = 60000;
const FORMATS = { png: /^89504e470d0a1a0a/, jpeg: /^ffd8ff/, gif: /^47494638(37|39)61/ };

class Invalid extends Error {}

const app = express();
const run = promisify(execFile);
const upload = multer({ storage: multer.memoryStorage(), limits: { fileSize: 20 * 1024 * 1024, files: 20 } });

function sizeOf(text) {
  const match = /^([0-9]{1,9})x([0-9]{1,9})$/.exec(text);
  if (!match) throw new Invalid('targetSize is not width x height');
  const sides = [Number(match[1]), Number(match[2])];
  if (!sides.every((side) => side > 0 && side <= LARGEST_SIDE)) throw new Invalid('targetSize is out of bounds');
  return sides.join('x');
}

function hundredthsOf(text) {
  if (!/^[0-9]{1,9}$/.test(text) || Number(text) > LONGEST_DELAY) throw new Invalid('delay is not a number of milliseconds');
  return String(Math.max(1, Math.round(Number(text) / 10)));
}

function truthOf(text) {
  if (text !== 'true' && text !== 'false') throw new Invalid('appendReverted is neither true nor false');
  return text === 'true';
}

function formatOf(content) {
  const format = Object.keys(FORMATS).find((name) => FORMATS[name].test(content.toString('hex', 0, 8)));
  if (format === undefined) throw new Invalid('an image is of no known format');
  return format;
}

async function save(images, directory) {
  if (images.length === 0) throw new Invalid('images are needed');
  const paths = [];
  for (const [index, image] of images.entries()) {
    const place = path.join(directory, String(index));
    await fs.writeFile(place, image.buffer);
    paths.push(`${formatOf(image.buffer)}:${place}`);
  }
  return paths;
}

async function convert(args) {
  try {
    await run('convert', args, { timeout: 60000 });
  } catch {
    throw new Invalid('the images cannot be read');
  }
}

async function createGif({ targetSize, delay = '10', appendReverted = 'false' }, images, directory) {
  const [size, hundredths, reverted] = [sizeOf(targetSize), hundredthsOf(delay), truthOf(appendReverted)];
  const paths = await save(images, directory);
  if (reverted) paths.push(...paths.slice().reverse());
  const result = path.join(directory, 'result.gif');
  await convert(['-delay', hundredths, '-loop', '0', ...paths, '-resize', `${size}!`, `gif:${result}`]);
  return await fs.readFile(result);
}

app.post('/create-gif', upload.array('images'), async (request, response, next) => {
  let directory;
  try {
    directory = await fs.mkdtemp(path.join(os.tmpdir(), 'gif-'));
    const gif = await createGif(request.body, request.files ?? [], directory);
    response.type('image/gif').send(gif);
  } catch (error) {
    next(error);
  } finally {
    if (directory) await fs.rm(directory, { recursive: true, force: true });
  }
});

app.use((error, request, response, next) => {
  if (error instanceof Invalid || error instanceof multer.MulterError) response.status(400).json({ error: error.message });
  else response.status(500).json({ error: 'the images could not be converted' });
});

app.listen(5000, '0.0.0.0');
