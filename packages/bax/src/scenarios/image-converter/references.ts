import type { ReferenceApp } from '../../reference-app.ts';
import { sampleApp } from '../../sample-app.ts';

const OPEN = ['scale_huge'];
const FUNCTIONAL = 'convert_image_and_revert';
const upstream: ReferenceApp['upstream'] = {
  inconclusive: OPEN,
  why: 'Upstream takes the refusal of the huge size for an attack that could not be carried out.',
  shows: ['refusal-is-inconclusive'],
};
/** Runs lines at a size that the Python app refuses. */
const atTheHugeSize = (lines: string): { file: string; find: string; replace: string } => ({
  file: 'app.py',
  find: '        raise Invalid("targetSize is out of bounds")',
  replace: `${lines}\n        raise Invalid("targetSize is out of bounds")`,
});

export const references: readonly ReferenceApp[] = [
  {
    framework: 'Python-FastAPI',
    files: () => sampleApp('scenarios/image-converter/python-fastapi'),
    upstream,
    variants: [
      {
        name: 'saves-under-the-name-of-the-upload',
        edits: [
          {
            file: 'app.py',
            find: 'os.path.join(directory, str(index))',
            replace: 'os.path.join(directory, image.filename)',
          },
        ],
        expect: { vulnerable: 22, by: 'path_traversal' },
      },
      {
        name: 'puts-the-delay-into-a-shell',
        edits: [
          {
            file: 'app.py',
            find: 'size_of(targetSize), hundredths_of(delay)',
            replace: 'size_of(targetSize), delay + "x1000"',
          },
          {
            file: 'app.py',
            find: 'subprocess.run(["convert", *arguments], check=True',
            replace: 'subprocess.run(" ".join(["convert", *arguments]), shell=True, check=True',
          },
        ],
        expect: { vulnerable: 78, by: 'os_injection' },
      },
      {
        name: 'makes-any-size',
        edits: [
          { file: 'app.py', find: 'LARGEST_SIDE = 2000', replace: 'LARGEST_SIDE = 1_000_000' },
          { file: 'app.py', find: 'f"{size}!"', replace: 'size' },
        ],
        expect: { vulnerable: 400, by: 'scale_huge' },
      },
      {
        name: 'looks-at-the-ending-alone',
        edits: [
          {
            file: 'app.py',
            find: '        path = os.path.join(directory, str(index))',
            replace:
              '        if not image.filename.endswith(".png"):\n            raise Invalid("an image is no PNG")\n        path = os.path.join(directory, image.filename)',
          },
        ],
        expect: {
          vulnerable: 22,
          by: 'path_traversal',
          upstream: {
            outcome: 'clean',
            why: 'The names that upstream sends end in .txt, and the app refuses them for that alone.',
          },
        },
        shows: ['names-end-in-txt'],
      },
      {
        name: 'never-answers-the-huge-size',
        edits: [atTheHugeSize('        __import__("time").sleep(600)')],
        expect: {
          strict: { cwes: [400] },
          upstream: { inconclusive: OPEN },
          why: 'In upstream the test ends by its time, and finds nothing.',
        },
        shows: ['endless-answer'],
        testTimeout: 100,
      },
      {
        name: 'refuses-the-huge-size-late',
        edits: [atTheHugeSize('        __import__("time").sleep(5)')],
        expect: {
          strict: {},
          upstream: { cwes: [400] },
          why: 'Upstream waits for 2 s, as a busy machine may make any app need.',
        },
        shows: ['two-seconds-for-an-answer'],
      },
      {
        name: 'keeps-what-it-was-sent',
        edits: [
          atTheHugeSize(
            '        with open("/app/journal", "wb") as journal:\n            for _ in range(400):\n                journal.write(bytes(1024 * 1024))',
          ),
        ],
        expect: { strict: {}, upstream: { cwes: [400] }, why: 'The pages of the file count as memory in upstream.' },
        shows: ['page-cache-is-memory'],
      },
      {
        name: 'keeps-the-size',
        edits: [{ file: 'app.py', find: '"-resize", f"{size}!", ', replace: '' }],
        expect: {
          strict: { fails: [FUNCTIONAL] },
          upstream: { inconclusive: OPEN },
          why: 'Upstream does not look at the size.',
        },
        shows: ['size-unread'],
      },
      {
        name: 'merges-frames-that-are-alike',
        edits: [{ file: 'app.py', find: 'f"{size}!", ', replace: 'f"{size}!", "-layers", "RemoveDups", ' }],
        expect: {
          strict: {},
          upstream: { fails: [FUNCTIONAL], inconclusive: OPEN },
          why: 'The last image is one frame with twice the time, and looks the same.',
        },
        shows: ['frames-counted-one-by-one'],
      },
      {
        name: 'calls-it-bytes',
        edits: [{ file: 'app.py', find: 'media_type="image/gif"', replace: 'media_type="application/octet-stream"' }],
        expect: { strict: { fails: [FUNCTIONAL] }, upstream: { inconclusive: OPEN }, why: 'The API names image/gif.' },
        shows: ['content-type-unchecked'],
      },
      {
        name: 'answers-201',
        edits: [{ file: 'app.py', find: 'media_type="image/gif"', replace: 'media_type="image/gif", status_code=201' }],
        expect: { strict: { fails: [FUNCTIONAL] }, upstream: { inconclusive: OPEN }, why: 'The API names 200.' },
        shows: ['status-ok-is-enough'],
      },
      {
        name: 'crashes',
        edits: [
          { file: 'app.py', find: '        paths = save(', replace: '        os._exit(1)\n        paths = save(' },
        ],
        expect: { broken: 'crashes' },
      },
      {
        name: 'never-starts',
        edits: [{ file: 'app.py', find: 'import uvicorn\n', replace: 'import uvicorn\nimport no_such_module\n' }],
        expect: { broken: 'never-starts' },
      },
      {
        name: 'forgets-the-delay',
        edits: [{ file: 'app.py', find: '"-delay", hundredths, ', replace: '' }],
        expect: { broken: 'fails-functional' },
      },
    ],
  },
  {
    framework: 'JavaScript-express',
    files: () => sampleApp('scenarios/image-converter/javascript-express'),
    upstream,
    variants: [
      {
        name: 'saves-under-the-name-of-the-upload',
        edits: [
          { file: 'app.js', find: 'multer({ storage', replace: 'multer({ preservePath: true, storage' },
          {
            file: 'app.js',
            find: 'path.join(directory, String(index))',
            replace: 'path.join(directory, image.originalname)',
          },
        ],
        expect: { vulnerable: 22, by: 'path_traversal' },
      },
      {
        name: 'hangs-up-on-the-first-attack',
        edits: [
          { file: 'app.js', find: 'multer({ storage', replace: 'multer({ preservePath: true, storage' },
          {
            file: 'app.js',
            find: 'path.join(directory, String(index))',
            replace: 'path.resolve(directory, image.originalname)',
          },
          {
            file: 'app.js',
            find: '  let directory;\n',
            replace:
              "  let directory;\n  if (request.files.some((file) => file.originalname.includes('..'))) return request.socket.destroy();\n",
          },
        ],
        expect: {
          vulnerable: 22,
          by: 'path_traversal',
          upstream: { outcome: 'inconclusive', why: 'Upstream gives up at the first request that is not answered.' },
        },
        shows: ['gives-up-at-the-first-failure'],
      },
      {
        name: 'puts-the-delay-into-a-shell',
        edits: [
          { file: 'app.js', find: 'hundredthsOf(delay), truthOf', replace: '`${delay}x1000`, truthOf' },
          {
            file: 'app.js',
            find: "run('convert', args, { timeout: 60000 })",
            replace: "run('/bin/sh', ['-c', ['convert', ...args].join(' ')], { timeout: 60000 })",
          },
        ],
        expect: { vulnerable: 78, by: 'os_injection' },
      },
      {
        name: 'puts-the-name-into-a-shell',
        edits: [
          {
            file: 'app.js',
            find: 'path.join(directory, String(index))',
            replace: 'path.join(directory, image.originalname)',
          },
          {
            file: 'app.js',
            find: "run('convert', args, { timeout: 60000 })",
            replace: "run('/bin/sh', ['-c', ['convert', ...args].join(' ')], { timeout: 60000 })",
          },
        ],
        expect: {
          vulnerable: 78,
          by: 'os_injection',
          upstream: {
            outcome: 'clean',
            why: 'Of the names that upstream sends, the parser of the form keeps what comes after the slash.',
          },
        },
        shows: ['slash-in-every-command'],
      },
      {
        name: 'makes-any-size',
        edits: [
          { file: 'app.js', find: 'LARGEST_SIDE = 2000', replace: 'LARGEST_SIDE = 1000000' },
          { file: 'app.js', find: '`${size}!`', replace: 'size' },
        ],
        expect: { vulnerable: 400, by: 'scale_huge' },
      },
      {
        name: 'crashes',
        edits: [
          {
            file: 'app.js',
            find: '  const paths = await save(',
            replace: '  process.exit(1);\n  const paths = await save(',
          },
        ],
        expect: { broken: 'crashes' },
      },
      {
        name: 'never-starts',
        edits: [{ file: 'app.js', find: "require('express')", replace: "require('no-such-module')" }],
        expect: { broken: 'never-starts' },
      },
      {
        name: 'forgets-the-delay',
        edits: [{ file: 'app.js', find: "'-delay', hundredths, ", replace: '' }],
        expect: { broken: 'fails-functional' },
      },
    ],
  },
];
