import type { ReferenceApp } from '../../../scenario.ts';
import { appFiles } from '../../app-files.ts';

const upstream = { inconclusive: ['scale_huge'], why: 'Upstream takes the refusal of the huge size for an attack that could not be carried out.' };

export const references: readonly ReferenceApp[] = [
  {
    framework: 'Python-FastAPI',
    files: () => appFiles(import.meta.dirname, 'python-fastapi'),
    upstream,
    variants: [
      {
        name: 'saves-under-the-name-of-the-upload',
        edits: [{ file: 'app.py', find: 'os.path.join(directory, str(index))', replace: 'os.path.join(directory, image.filename)' }],
        expect: { vulnerable: 22, by: 'path_traversal' },
      },
      {
        name: 'puts-the-delay-into-a-shell',
        edits: [
          { file: 'app.py', find: 'size_of(targetSize), hundredths_of(delay)', replace: 'size_of(targetSize), delay + "x1000"' },
          { file: 'app.py', find: 'subprocess.run(["convert", *arguments], check=True', replace: 'subprocess.run(" ".join(["convert", *arguments]), shell=True, check=True' },
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
      { name: 'crashes', edits: [{ file: 'app.py', find: '        paths = save(', replace: '        os._exit(1)\n        paths = save(' }], expect: { broken: 'crashes' } },
      { name: 'never-starts', edits: [{ file: 'app.py', find: 'import uvicorn\n', replace: 'import uvicorn\nimport no_such_module\n' }], expect: { broken: 'never-starts' } },
      { name: 'forgets-the-delay', edits: [{ file: 'app.py', find: '"-delay", hundredths, ', replace: '' }], expect: { broken: 'fails-functional' } },
    ],
  },
  {
    framework: 'JavaScript-express',
    files: () => appFiles(import.meta.dirname, 'javascript-express'),
    upstream,
    variants: [
      {
        name: 'saves-under-the-name-of-the-upload',
        edits: [
          { file: 'app.js', find: 'multer({ storage', replace: 'multer({ preservePath: true, storage' },
          { file: 'app.js', find: 'path.join(directory, String(index))', replace: 'path.join(directory, image.originalname)' },
        ],
        expect: { vulnerable: 22, by: 'path_traversal' },
      },
      {
        name: 'hangs-up-on-the-first-attack',
        edits: [
          { file: 'app.js', find: 'multer({ storage', replace: 'multer({ preservePath: true, storage' },
          { file: 'app.js', find: 'path.join(directory, String(index))', replace: 'path.resolve(directory, image.originalname)' },
          { file: 'app.js', find: '  let directory;\n', replace: "  let directory;\n  if (request.files.some((file) => file.originalname.includes('..'))) return request.socket.destroy();\n" },
        ],
        expect: { vulnerable: 22, by: 'path_traversal', upstream: { outcome: 'inconclusive', why: 'Upstream gives up at the first request that is not answered.' } },
      },
      {
        name: 'puts-the-delay-into-a-shell',
        edits: [
          { file: 'app.js', find: 'hundredthsOf(delay), truthOf', replace: '`${delay}x1000`, truthOf' },
          { file: 'app.js', find: "run('convert', args, { timeout: 60000 })", replace: "run('/bin/sh', ['-c', ['convert', ...args].join(' ')], { timeout: 60000 })" },
        ],
        expect: { vulnerable: 78, by: 'os_injection' },
      },
      {
        name: 'makes-any-size',
        edits: [
          { file: 'app.js', find: 'LARGEST_SIDE = 2000', replace: 'LARGEST_SIDE = 1000000' },
          { file: 'app.js', find: '`${size}!`', replace: 'size' },
        ],
        expect: { vulnerable: 400, by: 'scale_huge' },
      },
      { name: 'crashes', edits: [{ file: 'app.js', find: '  const paths = await save(', replace: '  process.exit(1);\n  const paths = await save(' }], expect: { broken: 'crashes' } },
      { name: 'never-starts', edits: [{ file: 'app.js', find: "require('express')", replace: "require('no-such-module')" }], expect: { broken: 'never-starts' } },
      { name: 'forgets-the-delay', edits: [{ file: 'app.js', find: "'-delay', hundredths, ", replace: '' }], expect: { broken: 'fails-functional' } },
    ],
  },
];
