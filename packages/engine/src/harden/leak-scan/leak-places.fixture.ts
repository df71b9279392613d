import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';

/** A planted text: code, and literals that bytecode stores one by one. */
export interface Planted {
  code: string;
  messages: string[];
}

/** Puts text somewhere below a fresh directory, with the real tool if there is one. */
export type Place = (directory: string, planted: Planted) => void;

const write =
  (name: string, content: (planted: Planted) => string | Buffer): Place =>
  (directory, planted) =>
    writeFileSync(join(directory, name), content(planted));
const eachLine = (text: string, change: (line: string, index: number) => string): string =>
  text.split('\n').map(change).join('\n');
const run = (directory: string, command: string, args: string[], input?: string | Buffer): Buffer =>
  execFileSync(command, args, {
    cwd: directory,
    input: input ?? '',
    stdio: ['pipe', 'pipe', 'ignore'],
    maxBuffer: 1e9,
    env: {
      PATH: process.env['PATH'],
      HOME: directory,
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      PYTHONDONTWRITEBYTECODE: '1',
    },
  });
const python = (directory: string, program: string, input: string | Buffer): Buffer =>
  run(directory, 'python3', ['-c', program], input);
const html = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const wrap = (text: string, width: number): string => text.replace(new RegExp(`.{${width}}`, 'g'), '$&\n');
const bytes = (text: string): number[] => [...Buffer.from(text)];
const filler = (length: number): Buffer => Buffer.alloc(length, 'a line of nothing in particular, again and again\n');

const TEXT_PLACES: Record<string, Place> = {
  'plain text': write('notes.txt', ({ code }) => `before\n${code}\nafter\n`),
  'CRLF line ends': write('notes.txt', ({ code }) => code.replaceAll('\n', '\r\n')),
  'old Mac line ends': write('notes.txt', ({ code }) => code.replaceAll('\n', '\r')),
  'another indentation': write('a.py', ({ code }) =>
    eachLine(code, (line) => `\t\t\t${line.trim().replaceAll(' ', '  ')}`),
  ),
  'blank lines between': write('a.py', ({ code }) => code.replaceAll('\n', '\n\n')),
  'a byte order mark': write('a.py', ({ code }) => `\ufeff${code}`),
  'UTF-16 with a mark': write('a.txt', ({ code }) => Buffer.from(`\ufeff${code}`, 'utf16le')),
  'UTF-16, big end first, no mark': write('a.txt', ({ code }) => Buffer.from(`head\n${code}`, 'utf16le').swap16()),
  'UTF-32': write('a.txt', ({ code }) =>
    Buffer.from(
      [...code].flatMap((character) =>
        [character.codePointAt(0) ?? 0, 0, 0, 0].map((value, index) =>
          index === 1 ? (character.codePointAt(0) ?? 0) >> 8 : value & 255,
        ),
      ),
    ),
  ),
  'Latin-1': write('a.txt', ({ code }) => Buffer.from(`caf\u00e9\n${code}`, 'latin1')),
  'a patch': write(
    'fix.patch',
    ({ code }) => `@@ -1,2 +1,5 @@\n context\n${eachLine(code, (line) => `+${line}`)}\n context\n`,
  ),
  'a reversed patch': write('fix.rej', ({ code }) => eachLine(code, (line) => `-${line}`)),
  'a quoting mail': write('mail.mbox', ({ code }) => eachLine(code, (line) => `>> ${line}`)),
  'hash comments': write('a.sh', ({ code }) => eachLine(code, (line) => `# ${line}`)),
  'slash comments': write('a.js', ({ code }) => eachLine(code, (line) => `// ${line}`)),
  'a block comment': write('a.js', ({ code }) => `/**\n${eachLine(code, (line) => ` * ${line}`)}\n */`),
  'numbered lines': write('list.txt', ({ code }) =>
    eachLine(code, (line, index) => `${String(index + 118).padStart(6)}\t${line}`),
  ),
  'grep output': write('grep.txt', ({ code }) =>
    eachLine(code, (line, index) => `./src/core/limit.py:${index + 9}:${line}`),
  ),
  'git blame output': write('blame.txt', ({ code }) =>
    eachLine(code, (line, index) => `1f3c9a7b (Ann Author 2024-05-0${index + 1} 12:00:00 +0200 ${index + 40}) ${line}`),
  ),
  'a JSON string': write('a.json', ({ code }) => JSON.stringify({ source: code })),
  'JSON in a JSON log': write(
    'log.jsonl',
    ({ code }) => `${JSON.stringify({ level: 'info', message: JSON.stringify({ body: code }) })}\n`,
  ),
  'a source map': write('a.js.map', ({ code }) =>
    JSON.stringify({ version: 3, sources: ['a.ts'], sourcesContent: [`head();\n${code}\ntail();`], mappings: 'AAAA' }),
  ),
  'a notebook': write('a.ipynb', ({ code }) =>
    JSON.stringify({ cells: [{ cell_type: 'code', source: code.split('\n').map((line) => `${line}\n`) }] }, null, 1),
  ),
  'HTML entities': write('a.html', ({ code }) => `<pre>${html(code)}</pre>`),
  'highlighted HTML': write(
    'a.html',
    ({ code }) => `<pre>${html(code).replace(/\b[a-z]+\b(?!;)/g, '<span class="n">$&</span>')}</pre>`,
  ),
  'terminal colours': write('out.log', ({ code }) => code.replace(/[a-z]+/g, '\x1b[32m$&\x1b[0m')),
  'base64 in lines': write('a.b64', ({ code }) => wrap(Buffer.from(code).toString('base64'), 76)),
  'base64 in a data address': write(
    'a.css',
    ({ code }) => `a{background:url(data:text/plain;base64,${Buffer.from(`x${code}`).toString('base64')})}`,
  ),
  'base64 of gzip in JSON': write('a.json', ({ code }) =>
    JSON.stringify({ blob: gzipSync(filler(300).toString() + code).toString('base64') }),
  ),
  'base64 in joined literals': write(
    'a.py',
    ({ code }) =>
      `X = (${wrap(Buffer.from(code).toString('base64'), 60)
        .split('\n')
        .map((line) => `"${line}"`)
        .join('\n     ')})`,
  ),
  hexadecimal: write('a.hex', ({ code }) => wrap(Buffer.from(code).toString('hex'), 64)),
  'escaped bytes': write(
    'a.py',
    ({ code }) =>
      `X = b"${bytes(code)
        .map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`)
        .join('')}"`,
  ),
  'an array of bytes': write(
    'a.c',
    ({ code }) =>
      `char x[] = {${bytes(code)
        .map((byte, index) => `0x${byte.toString(16).padStart(2, '0')}${index % 12 === 11 ? ',\n' : ', '}`)
        .join('')}};`,
  ),
  'percent encoding': write('a.txt', ({ code }) => `q=${encodeURIComponent(code)}`),
  'quoted-printable': write('a.eml', ({ code }) =>
    python(tmpdir(), 'import sys,quopri; quopri.encode(sys.stdin.buffer, sys.stdout.buffer, False)', `na=c3\n${code}`),
  ),
  'the edge of two pieces of a large file': write('big.txt', ({ code }) =>
    Buffer.concat([filler(40 * 1024 * 1024 - 40), Buffer.from(`\n${code}\n`), filler(1024 * 1024)]),
  ),
};

const CONTAINER_PLACES: Record<string, Place> = {
  gzip: write('a.gz', ({ code }) => gzipSync(code)),
  'gzip that was cut': write('a.gz', ({ code }) =>
    gzipSync(
      `${code}\n${Array.from({ length: 4000 }, (_, index) => (index * 2654435761) % 99991).join('\n')}`,
    ).subarray(0, -4000),
  ),
  bzip2: (directory, { code }) => writeFileSync(join(directory, 'a.bz2'), run(directory, 'bzip2', ['-c'], code)),
  xz: (directory, { code }) => writeFileSync(join(directory, 'a.xz'), run(directory, 'xz', ['-c'], code)),
  zstd: write('a.zst', ({ code }) => zstdCompressSync(code)),
  brotli: write('a.br', ({ code }) => brotliCompressSync(code)),
  'a zlib stream': write('a.bin', ({ code }) => deflateSync(code)),
  tar: (directory, { code }) => archive(directory, code, ['tar', 'cf', 'a.tar', 'inner']),
  'tar.gz with long names': (directory, { code }) =>
    archive(directory, code, ['tar', 'czf', 'a.tgz', 'inner'], `${'deep/'.repeat(30)}a.py`),
  'tar.xz': (directory, { code }) => archive(directory, code, ['tar', 'cJf', 'a.txz', 'inner']),
  'a pax header': (directory, { code }) =>
    archive(directory, 'x', ['tar', 'cf', 'a.tar', '--format=posix', `--pax-option=comment:=${code}`, 'inner']),
  zip: (directory, { code }) => archive(directory, code, ['zip', '-qr', 'a.zip', 'inner']),
  'a zip that does not compress': (directory, { code }) => archive(directory, code, ['zip', '-q0r', 'a.jar', 'inner']),
  'a zip comment': (directory, { code }) =>
    void (archive(directory, 'x', ['zip', '-qr', 'a.zip', 'inner']), run(directory, 'zip', ['-qz', 'a.zip'], code)),
  'a wheel in a tar.gz': (directory, { code }) => {
    archive(directory, code, ['zip', '-qr', 'a-1-py3-none-any.whl', 'inner']);
    run(directory, 'tar', ['czf', 'cache.tar.gz', 'a-1-py3-none-any.whl']);
    run(directory, 'rm', ['a-1-py3-none-any.whl']);
  },
  'a zip in a zip': (directory, { code }) => {
    archive(directory, code, ['zip', '-qr', 'in.zip', 'inner']);
    run(directory, 'zip', ['-qm', 'out.zip', 'in.zip']);
  },
  'a zip behind a program': (directory, { code }) => {
    archive(directory, code, ['zip', '-qr', 'a.zip', 'inner']);
    writeFileSync(
      join(directory, 'app'),
      Buffer.concat([Buffer.from('#!/usr/bin/env python3\n'), readFileSync(join(directory, 'a.zip'))]),
    );
    run(directory, 'rm', ['a.zip']);
  },
  'a zip without its directory': (directory, { code }) => {
    archive(directory, code, ['zip', '-qr', 'a.zip', 'inner']);
    const whole = readFileSync(join(directory, 'a.zip'));
    writeFileSync(join(directory, 'a.zip'), whole.subarray(0, whole.indexOf('PK\x01\x02')));
  },
  'a package of another system': (directory, { code }) => {
    archive(directory, code, ['tar', 'cJf', 'data.tar.xz', 'inner']);
    const data = readFileSync(join(directory, 'data.tar.xz'));
    const header = `data.tar.xz     ${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}${String(data.length).padEnd(10)}\`\n`;
    writeFileSync(join(directory, 'a.deb'), Buffer.concat([Buffer.from(`!<arch>\n${header}`), data]));
    run(directory, 'rm', ['data.tar.xz']);
  },
  'a document': write('a.pdf', ({ code }) =>
    Buffer.concat([
      Buffer.from('%PDF-1.4\n1 0 obj <</Filter /FlateDecode>> stream\n'),
      deflateSync(code),
      Buffer.from('\nendstream\n%%EOF'),
    ]),
  ),
  'a picture': write('a.png', ({ code }) =>
    Buffer.concat([
      Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\x50zTXtComment\0\0', 'latin1'),
      deflateSync(code),
      Buffer.from('\0\0\0\0IEND'),
    ]),
  ),
  'a program': write('a.out', ({ code }) =>
    Buffer.concat([
      Buffer.from('\x7fELF\x02\x01\x01\0\0\x03\xe8', 'latin1'),
      Buffer.from(`\0\0Q${code}\0\0more`),
      Buffer.alloc(200),
    ]),
  ),
  'bytecode, a docstring': (directory, { code }) =>
    compile(directory, `def f():\n    ${JSON.stringify(code)}\n    return f\n`),
  'bytecode, single constants': (directory, { messages }) =>
    compile(directory, `def f():\n    return (${messages.map((message) => JSON.stringify(message)).join(', ')})\n`),
  'a pickle': (directory, { messages }) =>
    writeFileSync(
      join(directory, 'a.pkl'),
      python(
        directory,
        'import sys,pickle; pickle.dump(sys.stdin.read().split("\\n"), sys.stdout.buffer)',
        messages.join('\n'),
      ),
    ),
  'a row of a database': (directory, { code }) => database(directory, code),
  'a long row of a database': (directory, { code }) => database(directory, `${filler(4070)}${code}`),
  'a compressed value of a database': (directory, { code }) => database(directory, gzipSync(code)),
};

const GIT_PLACES: Record<string, Place> = {
  'a loose object': (directory, { code }) => repository(directory, code),
  'a pack': (directory, { code }) => {
    repository(directory, code);
    git(directory, 'gc', '-q');
  },
  'a delta in a pack': (directory, { code }) => {
    const base = filler(20_000).toString();
    repository(directory, base);
    commit(directory, base.replace('again', `again\n${code}\n`));
    git(directory, 'repack', '-adqf', '--depth=50');
  },
  'an unreachable object': (directory, { code }) => {
    repository(directory, 'nothing here\n');
    run(directory, 'git', ['hash-object', '-w', '--stdin'], code);
  },
  'a commit message': (directory, { code }) => {
    repository(directory, 'nothing here\n');
    git(
      directory,
      '-c',
      'user.name=a',
      '-c',
      'user.email=a@example.com',
      'commit',
      '-q',
      '--allow-empty',
      '--cleanup=verbatim',
      '-m',
      code,
    );
  },
  'an annotated tag': (directory, { code }) => {
    repository(directory, 'nothing here\n');
    git(
      directory,
      '-c',
      'user.name=a',
      '-c',
      'user.email=a@example.com',
      'tag',
      '-a',
      'v',
      '--cleanup=verbatim',
      '-m',
      code,
    );
    git(directory, 'gc', '-q');
  },
  'a bundle': (directory, { code }) => {
    repository(directory, code);
    git(directory, 'bundle', 'create', '-q', 'a.bundle', '--all');
    run(directory, 'rm', ['-rf', '.git']);
  },
  'a thin bundle': (directory, { code }) => {
    const base = filler(20_000).toString();
    repository(directory, base);
    commit(directory, `${base}${code}\n`);
    git(directory, 'bundle', 'create', '-q', 'a.bundle', 'HEAD~1..HEAD');
    run(directory, 'rm', ['-rf', '.git']);
  },
  'a repository in an archive': (directory, { code }) => {
    repository(directory, code);
    git(directory, 'gc', '-q');
    run(directory, 'tar', ['czf', 'backup.tgz', '.git']);
    run(directory, 'rm', ['-rf', '.git']);
  },
  'a message that was not committed': (directory, { code }) => {
    repository(directory, 'nothing here\n');
    writeFileSync(join(directory, '.git', 'MERGE_MSG'), code);
  },
  'the name of a file': (directory, { code }) => writeFileSync(join(directory, code), ''),
  'the target of a link': (directory, { code }) => symlinkSync(code, join(directory, 'link')),
  'the name of a member': (directory, { code }) => {
    mkdirSync(join(directory, 'inner'));
    writeFileSync(join(directory, 'inner', code), '');
    run(directory, 'tar', ['czf', 'a.tgz', 'inner']);
    run(directory, 'rm', ['-r', 'inner']);
  },
};

function archive(directory: string, code: string, [program = '', ...args]: string[], name = 'a.py'): void {
  const path = join(directory, 'inner', name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, code);
  run(directory, program, args);
  run(directory, 'rm', ['-r', 'inner']);
}

function compile(directory: string, source: string): void {
  mkdirSync(join(directory, '__pycache__'));
  python(
    directory,
    'import sys,py_compile; open("m.py","w").write(sys.stdin.read()); py_compile.compile("m.py", "__pycache__/m.pyc")',
    source,
  );
  run(directory, 'rm', ['m.py']);
}

function database(directory: string, value: string | Buffer): void {
  python(
    directory,
    'import sys,sqlite3; c=sqlite3.connect("a.db"); c.execute("create table t(a, b)"); v=sys.stdin.buffer.read(); v=v if v[:2]==b"\\x1f\\x8b" else v.decode(); c.execute("insert into t values(1, ?)", (v,)); c.commit()',
    value,
  );
}

function git(directory: string, ...args: string[]): void {
  run(directory, 'git', args);
}

/** Makes a repository whose file was removed after its commit, so that only the object store holds it. */
function repository(directory: string, content: string): void {
  git(directory, 'init', '-q');
  commit(directory, content);
}

function commit(directory: string, content: string): void {
  writeFileSync(join(directory, 'a.py'), content);
  git(directory, 'add', 'a.py');
  git(directory, '-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'x');
  run(directory, 'rm', ['a.py']);
}

/** Places by name; each takes something different to look into. */
export const PLACES: Record<string, Place> = { ...TEXT_PLACES, ...CONTAINER_PLACES, ...GIT_PLACES };
