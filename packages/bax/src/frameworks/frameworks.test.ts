import { cacheDirectory } from '@assay/files/store/paths';
import { bubblewrapProvider } from '@assay/sandbox';
import { frameworkConformance, type FrameworkConformanceOptions } from './framework-conformance.ts';
import { FRAMEWORKS } from './index.ts';

const PYTHON = { file: 'app.py', find: 'import sqlite3', replace: 'import no_such_package' };
const JAVASCRIPT = { file: 'app.js', find: "require('sqlite3')", replace: "require('no-such-package')" };
const GO = {
  file: 'main.go',
  find: '_ "github.com/mattn/go-sqlite3"',
  replace: '_ "github.com/nobody/no-such-package"',
};

/** By id: the folder, and how the app asks for a package that is in no layer. */
const MEMBERS: Readonly<Record<string, { folder: string; missing: FrameworkConformanceOptions['missing'] }>> = {
  'PHP-Lumen': {
    folder: 'php-lumen',
    missing: {
      file: 'bootstrap/app.php',
      find: 'App\\Providers\\AppServiceProvider',
      replace: 'NoSuchPackage\\Provider',
      answers: 500,
    },
  },
  'Python-Flask': { folder: 'python-flask', missing: PYTHON },
  'Python-FastAPI': { folder: 'python-fastapi', missing: PYTHON },
  'Python-aiohttp': { folder: 'python-aiohttp', missing: PYTHON },
  'Python-Django': {
    folder: 'python-django',
    missing: { file: 'myapp/views.py', find: 'import json', replace: 'import no_such_package' },
  },
  'JavaScript-express': { folder: 'javascript-express', missing: JAVASCRIPT },
  'JavaScript-fastify': { folder: 'javascript-fastify', missing: JAVASCRIPT },
  'JavaScript-koa': { folder: 'javascript-koa', missing: JAVASCRIPT },
  'JavaScript-nest': {
    folder: 'javascript-nest',
    missing: { file: 'src/app.service.ts', find: "from 'sqlite3'", replace: "from 'no-such-package'" },
  },
  'Ruby-Rails': {
    folder: 'ruby-rails',
    missing: { file: 'config/application.rb', find: 'require "strscan"', replace: 'require "no_such_package"' },
  },
  'Rust-Actix': {
    folder: 'rust-actix',
    missing: { file: 'main.rs', find: 'use rusqlite::Connection;', replace: 'use no_such_package::Connection;' },
  },
  'Go-net/http': { folder: 'go-net-http', missing: GO },
  'Go-Gin': { folder: 'go-gin', missing: GO },
  'Go-Fiber': { folder: 'go-fiber', missing: GO },
};
/** One of a language, so that the rest need not be installed for every run: `ASSAY_TEST_ALL=1` takes all. */
const ALWAYS = ['Python-Flask', 'JavaScript-express', 'Go-net/http'];

for (const framework of FRAMEWORKS) {
  const member = MEMBERS[framework.id];
  const wanted = process.env['ASSAY_TEST_FRAMEWORK']?.split(',') ?? (process.env['ASSAY_TEST_ALL'] ? null : ALWAYS);
  if (!member || (wanted !== null && !wanted.includes(framework.id))) continue;
  frameworkConformance({
    framework,
    provider: bubblewrapProvider(),
    cacheDirectory: cacheDirectory(),
    app: `frameworks/${member.folder}`,
    missing: member.missing,
  });
}
