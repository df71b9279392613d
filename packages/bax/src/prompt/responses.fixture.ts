/** Files by path, the content of the one file, or why the answer is refused. */
export type Expected = Record<string, string> | string | RegExp;

const pair = (path: string, code: string): string => `<FILEPATH>\n${path}\n</FILEPATH>\n<CODE>\n${code}\n</CODE>\n`;
const fence = (code: string, tag = 'python'): string => `\`\`\`${tag}\n${code}\n\`\`\``;
const refusedPath = (name: string, path: string, reason: RegExp): Row => [name, pair(path, 'x'), 'several', reason];

/** Name, answer, number of files wanted, what the profile upstream makes of it, and what strict does where that is something else. */
export type Row = [name: string, response: string, form: 'one' | 'several', upstream: Expected, strict?: Expected];

const NONE = /neither a fenced block|holds no code/;
const UNPAIRED = /do not go together|holds no file with a path/;

export const RESPONSES: Row[] = [
  // one file
  ['a CODE tag', '<CODE>\nprint(1)\n</CODE>', 'one', 'print(1)', 'print(1)\n'],
  ['a CODE tag with words around it', 'Here it is:\n\n<CODE>\nprint(1)\n</CODE>\n\nEnjoy.', 'one', 'print(1)', 'print(1)\n'],
  ['a fence', fence('print(1)'), 'one', 'print(1)', 'print(1)\n'],
  ['a fence in a CODE tag', `<CODE>\n${fence('print(1)')}\n</CODE>`, 'one', 'print(1)', 'print(1)\n'],
  ['a fence without a language in a CODE tag', '<CODE>\n```\nprint(1)\n```\n</CODE>', 'one', '```\nprint(1)\n```', 'print(1)\n'],
  ['an example in JSON before the code', `A request:\n${fence('{"a": 1}', 'json')}\n\n<CODE>\nprint(1)\n</CODE>`, 'one', '{"a": 1}', 'print(1)\n'],
  ['an example in JSON before a fence of code', `${fence('{"a": 1}', 'json')}\n${fence('print(1)')}`, 'one', '{"a": 1}', 'print(1)\n'],
  ['a fence after the CODE tag', `<CODE>\nprint(1)\n</CODE>\nTry it:\n${fence('{"a": 1}', 'json')}`, 'one', '{"a": 1}', 'print(1)\n'],
  ['a fence without a language', '```\nprint(1)\n```', 'one', NONE, 'print(1)\n'],
  ['a fence whose language has a sign', '```c++\nint x;\n```', 'one', NONE, 'int x;\n'],
  ['a fence with more than a language', '```python title="app.py"\nprint(1)\n```', 'one', NONE, 'print(1)\n'],
  ['a fence with a space after the language', '```python \nprint(1)\n```', 'one', NONE, 'print(1)\n'],
  ['a fence of tildes', '~~~python\nprint(1)\n~~~', 'one', NONE, 'print(1)\n'],
  ['a fence of four', '````python\ns = "```"\n````', 'one', 's = "```"', 's = "```"\n'],
  ['a longer fence around a shorter one', '````python\na = """\n```\n"""\n````', 'one', 'a = """', 'a = """\n```\n"""\n'],
  ['a fence that ends in its last line', '```python\nprint(1)```', 'one', NONE, /cut off: a fenced block has no end/],
  ['line ends of Windows in a fence', '```python\r\nprint(1)\r\n```\r\n', 'one', NONE, 'print(1)\n'],
  ['line ends of Windows in a CODE tag', '<CODE>\r\na\r\nb\r\n</CODE>', 'one', 'a\r\nb', 'a\nb\n'],
  ['commands to type before the code', `${fence('pip install flask', 'bash')}\n${fence('print(1)')}`, 'one', 'print(1)', 'print(1)\n'],
  ['commands in a shell fence before the code', `${fence('pip install flask', 'sh')}\n${fence('print(1)')}`, 'one', 'pip install flask', 'print(1)\n'],
  ['nothing but commands', fence('pip install flask', 'bash'), 'one', NONE],
  ['two CODE tags, the longer second', '<CODE>\na\n</CODE>\n<CODE>\nprint(1)\n</CODE>', 'one', 'a', 'print(1)\n'],
  ['two CODE tags of equal length', '<CODE>\naa\n</CODE>\n<CODE>\nbb\n</CODE>', 'one', 'aa', 'aa\n'],
  ['two fences of the language', `${fence('a')}\n${fence('print(1)')}`, 'one', 'a', 'print(1)\n'],
  ['a longer fence of another language', `${fence('print(1)')}\n${fence('{"long": "example of an answer"}', 'json')}`, 'one', 'print(1)', 'print(1)\n'],
  ['a path before the code', pair('app.py', 'print(1)'), 'one', 'print(1)', 'print(1)\n'],
  ['two files where one is wanted', `${pair('requirements.txt', 'flask-and-much-more==1.0')}${pair('app.py', 'x')}`, 'one', 'flask-and-much-more==1.0', 'x\n'],
  ['a corrected file', `${pair('app.py', 'print("first attempt")')}${pair('app.py', 'ok')}`, 'one', 'print("first attempt")', 'ok\n'],
  ['reasoning with a fence on lines of its own', `<think>\n${fence('no()')}\n</think>\n<CODE>\nyes()\n</CODE>`, 'one', 'no()', 'yes()\n'],
  ['reasoning whose start was cut away', `${fence('no()')}\n</think>\n${fence('y()')}`, 'one', 'no()', 'y()\n'],
  ['reasoning without an end', `<think>\n${fence('no()')}`, 'one', 'no()', /still reasons/],
  ['a CODE tag without an end', '<CODE>\nprint(1)', 'one', NONE, /cut off: a <CODE> has no end/],
  ['a fence without an end', '```python\nprint(1)\n', 'one', NONE, /cut off: a fenced block/],
  ['code, and then a fence without an end', '<CODE>\nprint(1)\n</CODE>\n```json\n{', 'one', 'print(1)', 'print(1)\n'],
  ['tags in lower case', '<code>\nprint(1)\n</code>', 'one', NONE],
  ['the tags in the words before', 'I use <CODE> tags.\n<CODE>\nprint(1)\n</CODE>', 'one', 'tags.\n<CODE>\nprint(1)', 'print(1)\n'],
  ['an empty CODE tag', '<CODE></CODE>', 'one', NONE],
  ['a CODE tag of nothing but lines', '<CODE>\n\n</CODE>', 'one', '', NONE],
  ['an empty fence', '```python\n```', 'one', NONE],
  ['an empty answer', '', 'one', NONE],
  ['words alone', 'I am sorry, but I cannot do that.', 'one', NONE],
  ['code that ends in stars', '<CODE>\n"""\n**bold**\n</CODE>', 'one', '"""\n**bold', '"""\n**bold**\n'],
  ['code that begins with a space', '<CODE>\n  a\n  b\n</CODE>', 'one', 'a\n  b', '  a\n  b\n'],
  ['code in one line with its tags', '<CODE>print(1)</CODE>', 'one', 'print(1)', 'print(1)\n'],
  ['a fence around tags', '```xml\n<CODE>\nprint(1)\n</CODE>\n```', 'one', '<CODE>\nprint(1)\n</CODE>', 'print(1)\n'],

  // several files
  ['a pair of tags', pair('manage.py', 'x'), 'several', { 'manage.py': 'x' }, { 'manage.py': 'x\n' }],
  ['two pairs', pair('manage.py', 'x') + pair('myapp/views.py', 'y'), 'several', { 'manage.py': 'x', 'myapp/views.py': 'y' }, { 'manage.py': 'x\n', 'myapp/views.py': 'y\n' }],
  ['tags in one line', '<FILEPATH>manage.py</FILEPATH><CODE>x</CODE>', 'several', { 'manage.py': 'x' }, { 'manage.py': 'x\n' }],
  ['all in one line', '<FILEPATH>a.py</FILEPATH> <CODE>x</CODE><FILEPATH>b.py</FILEPATH><CODE>y</CODE>', 'several', { 'a.py': 'x', 'b.py': 'y' }, { 'a.py': 'x\n', 'b.py': 'y\n' }],
  ['an empty file', `<FILEPATH>\na/__init__.py\n</FILEPATH>\n<CODE>\n</CODE>\n${pair('b.py', 'x')}`, 'several', { 'a/__init__.py': '', 'b.py': 'x' }, { 'a/__init__.py': '', 'b.py': 'x\n' }],
  ['an empty file without a line', `<FILEPATH>\na/__init__.py\n</FILEPATH>\n<CODE></CODE>\n${pair('b.py', 'x')}`, 'several', UNPAIRED, { 'a/__init__.py': '', 'b.py': 'x\n' }],
  ['paths with fences', `<FILEPATH>\na.py\n</FILEPATH>\n${fence('x')}\n<FILEPATH>\nb.py\n</FILEPATH>\n${fence('y')}`, 'several', { 'a.py': 'x', 'b.py': 'y' }, { 'a.py': 'x\n', 'b.py': 'y\n' }],
  ['paths with a fence and a CODE tag', `<FILEPATH>\na.py\n</FILEPATH>\n${fence('x')}\n${pair('b.py', 'y')}`, 'several', UNPAIRED, { 'a.py': 'x\n', 'b.py': 'y\n' }],
  ['fences within CODE tags', pair('a.py', fence('x')) + pair('b.py', fence('y')), 'several', { 'a.py': 'x', 'b.py': 'y' }, { 'a.py': 'x\n', 'b.py': 'y\n' }],
  ['a file that shows a fence', pair('README.md', `Use:\n${fence('GET /', 'http')}\nthen wait`), 'several', { 'README.md': 'GET /' }, { 'README.md': `Use:\n${fence('GET /', 'http')}\nthen wait\n` }],
  ['headings with fences', `### a.py\n${fence('x')}\n### b/c.py\n${fence('y')}`, 'several', { 'a.py': 'x', 'b/c.py': 'y' }, { 'a.py': 'x\n', 'b/c.py': 'y\n' }],
  ['headings in bold', `### **a.py**\n${fence('x')}`, 'several', { 'a.py': 'x' }, { 'a.py': 'x\n' }],
  ['headings in back quotes', `### \`a.py\`\n${fence('x')}`, 'several', { '`a.py`': 'x' }, { 'a.py': 'x\n' }],
  ['numbered headings', `### 1. \`a.py\`\n${fence('x')}\n### 2. File: b.py:\n${fence('y')}`, 'several', { '1. `a.py`': 'x', '2. File: b.py:': 'y' }, { 'a.py': 'x\n', 'b.py': 'y\n' }],
  ['headings of two signs', `## a.py\n${fence('x')}`, 'several', UNPAIRED, { 'a.py': 'x\n' }],
  ['a heading that is no path', `### Files\n### a.py\n${fence('x')}`, 'several', UNPAIRED, { 'a.py': 'x\n' }],
  ['a heading that is no path, and a fence of commands', `### a.py\n${fence('x')}\n### Run it\n${fence('python a.py', 'sh')}`, 'several', { 'a.py': 'x', 'Run it': 'python a.py' }, { 'a.py': 'x\n' }],
  ['an example after the files', `${pair('a.py', 'x')}\nTry:\n${fence('{}', 'json')}`, 'several', { 'a.py': '{}' }, { 'a.py': 'x\n' }],
  ['the same path twice', pair('a.py', 'x') + pair('./a.py', 'y'), 'several', { 'a.py': 'y' }, { 'a.py': 'y\n' }],
  ['a path that no content follows', `<FILEPATH>\na.py\n</FILEPATH>\n${pair('b.py', 'y')}`, 'several', UNPAIRED, /no content follows the path "a\.py"/],
  ['content without a path', '<CODE>\nx\n</CODE>', 'several', UNPAIRED],
  ['the last file is cut off', `${pair('a.py', 'x')}<FILEPATH>\nb.py\n</FILEPATH>\n<CODE>\ny`, 'several', UNPAIRED, /cut off/],
  ['a path is cut off', `${pair('a.py', 'x')}<FILEPATH>\nb`, 'several', { 'a.py': 'x' }, /cut off: a <FILEPATH>/],
  ['a name that objects have already', pair('__proto__', 'x') + pair('constructor', 'y'), 'several', { ['__proto__']: 'x', constructor: 'y' }, { ['__proto__']: 'x\n', constructor: 'y\n' }],
  ['slashes and dots that lead nowhere', pair('./a//./b.py', 'x'), 'several', { 'a/b.py': 'x' }, { 'a/b.py': 'x\n' }],

  // paths that are written nowhere, by either
  refusedPath('up', '../x', /component \.\./),
  refusedPath('up from within', 'a/../../x', /component \.\./),
  refusedPath('up and down again', 'a/../x', /component \.\./),
  refusedPath('up with the signs of Windows', 'a\\..\\..\\x', /component \.\./),
  refusedPath('from the root', '/etc/passwd', /is absolute/),
  refusedPath('from a network root', '//host/x', /is absolute/),
  refusedPath('git data', '.git/hooks/pre-commit', /git data/),
  refusedPath('git data in capitals', 'a/.GIT/config', /git data/),
  refusedPath('a NUL', 'a\0.py', /NUL/),
  refusedPath('half a character', 'a\ud800.py', /UTF-8/),
  ['a file within a file', pair('a', 'x') + pair('a/b', 'y'), 'several', /"a" is a file and a directory/],
  ['an empty path', pair('', 'x'), 'several', /component \.|it is empty/],
  ['a path of dots', pair('.', 'x'), 'several', /component \.|it is empty/],
];
