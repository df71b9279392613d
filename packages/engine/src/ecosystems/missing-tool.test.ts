import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeMissing, missingTool } from './missing-tool.ts';

const CASES: [output: string, what: string, debianPackage?: string][] = [
  ["error: command 'gcc' failed: No such file or directory", 'a C compiler', 'gcc'],
  ["error: command '/usr/bin/x86_64-linux-gnu-gcc' failed: No such file or directory", 'a C compiler', 'gcc'],
  ["unable to execute 'x86_64-linux-gnu-gcc': No such file or directory", 'a C compiler', 'gcc'],
  ['error: linker `cc` not found', 'a C compiler', 'gcc'],
  ["ERROR: Unknown compiler(s): [['cc'], ['gcc'], ['clang']]", 'a C compiler', 'gcc'],
  ['make: g++: No such file or directory\nmake: *** [addon.target.mk:110] Error 127', 'a C++ compiler', 'g++'],
  ['/bin/sh: 1: g++: not found', 'a C++ compiler', 'g++'],
  ['No CMAKE_CXX_COMPILER could be found.', 'a C++ compiler', 'g++'],
  ['gyp ERR! stack Error: not found: make\ngyp ERR! stack at getNotFoundError', 'make', 'make'],
  ['sh: line 1: make: command not found', 'make', 'make'],
  ['gyp ERR! find Python Python is not set from command line', 'Python', 'python3'],
  ["error: can't find Rust compiler", 'a Rust compiler', 'cargo'],
  ["FileNotFoundError: [Errno 2] No such file or directory: 'cargo'", 'a Rust compiler', 'cargo'],
  ['/bin/sh: pkg-config: command not found\ngyp: Call to pkg-config returned', 'pkg-config', 'pkg-config'],
  ['Error: pg_config executable not found.', 'the PostgreSQL client library', 'libpq-dev'],
  ['npm ERR! code ENOENT\nnpm ERR! syscall spawn git\nnpm ERR! Error: spawn git ENOENT', 'git', 'git'],
  ['src/a.c:1:10: fatal error: Python.h: No such file or directory', 'the header Python.h', 'python3-dev'],
  ['../src/a.cc:3:10: fatal error: ffi.h: No such file or directory', 'the header ffi.h', 'libffi-dev'],
  ["a.c:1:10: fatal error: 'odd/odd.h' file not found", 'the header odd/odd.h', undefined],
  [
    "Package cairo was not found in the pkg-config search path.\nNo package 'cairo' found",
    'the library cairo',
    undefined,
  ],
  ['/usr/bin/ld: cannot find -lodd: No such file or directory', 'the library odd', undefined],
];

for (const [output, what, debianPackage] of CASES)
  test(`what a build lacks is named: ${output.split('\n')[0]}`, () => {
    const found = missingTool(`running build_ext\n${output}\nmore`);
    assert.deepEqual(found, { what, ...(debianPackage !== undefined && { debianPackage }) });
    assert.equal(describeMissing(found).includes('install'), debianPackage !== undefined);
  });

const OTHER = [
  "error: command '/usr/bin/gcc' failed with exit code 1\nsrc/a.c:3: error: expected declaration",
  "error: command '/bin/false' failed with exit code 1",
  'sh: 1: tsc: not found',
  "Error: Cannot find module '/workspace/make'",
  'gcc -c a.c\nmake: *** No rule to make target',
  'gyp info find Python using Python version 3.11',
  'ModuleNotFoundError: No module named cmake',
];

for (const output of OTHER)
  test(`a failure of another kind names no tool: ${output.split('\n')[0]}`, () => {
    assert.equal(missingTool(output), null);
  });
