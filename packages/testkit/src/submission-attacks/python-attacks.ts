import { timeLimitMs, type SubmissionAttack } from './attack.ts';

const options = { language: 'python', timeoutMs: timeLimitMs(undefined) } as const;

/** `seen(text)` keeps what looks like one of the secrets of an attack. */
const SEARCH = `
import gc, os, re, select, sys
found = set()
def seen(data):
    if isinstance(data, str):
        data = data.encode('utf8', 'replace')
    found.update(match.decode() for match in re.findall(rb'(?:EXPECTED|LATER|SECRET)-[0-9a-f]{24}', data))
def attempt(act):
    try:
        seen(act())
    except BaseException:
        pass
def read(path, size=1 << 22):
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        return os.read(descriptor, size)
    finally:
        os.close(descriptor)
def answer():
    return sorted(found)[0] if found else 'nothing'
`;

/** Each looks where an expected value, a case that comes later or a secret of the host might lie. */
const SEARCHES: readonly (readonly [string, string])[] = [
  ['all objects of the collector', 'for item in gc.get_objects():\n        attempt(lambda: repr(item)[:100_000])'],
  [
    'the frames of its callers',
    'frame = sys._getframe()\n    while frame:\n        attempt(lambda: repr(frame.f_locals) + repr(frame.f_globals))\n        frame = frame.f_back',
  ],
  [
    'environments and command lines of all processes',
    "for process in os.listdir('/proc'):\n        for name in ('environ', 'cmdline', 'maps', 'stat'):\n            attempt(lambda: read('/proc/%s/%s' % (process, name)))",
  ],
  [
    'descriptors of all processes',
    "for process in os.listdir('/proc'):\n        for number in range(20):\n            attempt(lambda: read('/proc/%s/fd/%d' % (process, number)))",
  ],
  [
    'its own memory',
    "for line in open('/proc/self/maps'):\n        start, end = (int(part, 16) for part in line.split()[0].split('-'))\n        if line.split()[1].startswith('rw') and end - start < 1 << 26:\n            attempt(lambda: os.pread(os.open('/proc/self/mem', os.O_RDONLY), end - start, start))",
  ],
  [
    'the memory of its parents',
    "for process in (1, os.getppid()):\n        for line in open('/proc/%d/maps' % process):\n            start, end = (int(part, 16) for part in line.split()[0].split('-'))\n            if line.split()[1].startswith('rw'):\n                attempt(lambda: os.pread(os.open('/proc/%d/mem' % process, os.O_RDONLY), end - start, start))",
  ],
  [
    'all files',
    "for directory in ('/workspace', '/tmp', '/home', '/run', '/dev/shm', '/root', '/opt', '/var', '/mnt'):\n        for parent, _, names in os.walk(directory):\n            if 'python3' not in parent:\n                for name in names:\n                    attempt(lambda: read(os.path.join(parent, name)))",
  ],
  [
    'the file and the environment of the host',
    "attempt(lambda: os.environ['ASSAY_ATTACK_CANARY'])\n    attempt(lambda: read(SECRET_FILE))",
  ],
  [
    'requests that were sent ahead',
    'for descriptor in (0, 4):\n        if select.select([descriptor], [], [], 0.2)[0]:\n            attempt(lambda: os.read(descriptor, 1 << 20))\n    attempt(lambda: sys.stdin.read())',
  ],
];

const search = ([place, code]: readonly [string, string]): SubmissionAttack => ({
  name: `Python searches ${place}`,
  covers: ['I5', 'I9'],
  options,
  code: ({ secretFile }) =>
    `${SEARCH}\nSECRET_FILE = ${JSON.stringify(secretFile)}\ndef attack(*given):\n    ${given(place)}${code}\n    return answer()\n`,
});

/** Its own input is no secret. */
const given = (place: string): string => (/memory|objects|frames/.test(place) ? 'if given: return "given"\n    ' : '');

const simple = (name: string, code: string, says?: RegExp, cases?: SubmissionAttack['cases']): SubmissionAttack => ({
  name: `Python ${name}`,
  covers: ['I7'],
  options: { ...options, timeoutMs: timeLimitMs(says) },
  code,
  says,
  cases,
});

const NONCE = `
import gc, os, sys
def lines():
    frame = sys._getframe()
    while frame:
        if 'nonce' in frame.f_locals:
            return frame.f_locals['nonce'], (frame.f_locals.get('request') or {}).get('id')
        frame = frame.f_back
def forge(word, text):
    os.write(3, ('\\n%s %s %s\\n' % (lines()[0], word, text)).encode())
`;
const RETURNS_ONE = '{"returned":1}';

export const PYTHON_ATTACKS: readonly SubmissionAttack[] = [
  ...SEARCHES.map(search),
  simple(
    'forges an answer with a guessed nonce',
    "import os\ndef attack(*given):\n    for word in ('started', 'loaded', '0' * 24):\n        os.write(3, ('\\n%s %s {\"returned\":1}\\n' % ('0' * 24, word)).encode())\n    return 2",
    /expected/,
    [{ input: [], expected: 1 }],
  ),
  simple(
    'forges answers of later cases with the true nonce and a guessed id',
    `${NONCE}\ndef attack(number):\n    if number == 0:\n        for word in ('0' * 24, lines()[1][:-1] + 'x', '*', ''):\n            forge(word, '${RETURNS_ONE}')\n    return 2`,
    /expected/,
    [
      { input: [0], expected: 1 },
      { input: [1], expected: 1 },
    ],
  ),
  simple(
    'answers a case twice so that the second stands for the next',
    `${NONCE}\ndef attack(number):\n    forge(lines()[1], '{"returned":2}')\n    forge(lines()[1], '${RETURNS_ONE}')\n    return 1`,
    /expected 1, got 2/,
    [
      { input: [0], expected: 1 },
      { input: [1], expected: 1 },
    ],
  ),
  simple('ends the process', 'import os\ndef attack(*given):\n    os._exit(0)', /ended with code 0 before it answered/),
  simple('ends the process when it is loaded', 'import os\nos._exit(0)', /ended with code 0 before it answered/),
  simple('raises SystemExit', 'import sys\ndef attack(*given):\n    sys.exit(0)', /SystemExit/),
  simple(
    'kills all that it can',
    'import os, signal\ndef attack(*given):\n    for target in (os.getppid(), 1, -1, 0):\n        try:\n            os.kill(target, signal.SIGKILL)\n        except OSError:\n            pass\n    return 1',
    /killed by signal 9|ended|expected/,
  ),
  simple(
    'bombs with forks',
    'import os\ndef attack(*given):\n    while True:\n        try:\n            os.fork()\n        except OSError:\n            pass',
    /timed out|out of memory|ended/,
  ),
  simple('answers in a child as well', 'import os\ndef attack(*given):\n    os.fork()\n    return 2', /expected/),
  simple(
    'leaves threads and handlers behind',
    'import atexit, signal, threading, time\ndef forever():\n    while True:\n        time.sleep(0.01)\natexit.register(forever)\nfor number in range(1, 32):\n    try:\n        signal.signal(number, lambda *_: forever())\n    except OSError:\n        pass\ndef attack(*given):\n    threading.Thread(target=forever).start()\n    return 2',
    /expected/,
  ),
  simple(
    'replaces what the driver uses',
    "import builtins, json, os, sys\nfor module in (os, json, sys, builtins):\n    for name in ('write', 'read', 'loads', 'dumps', 'stdout', 'repr', 'len', 'type', 'isinstance', 'all', 'str', 'getpid'):\n        if hasattr(module, name):\n            try:\n                setattr(module, name, lambda *_, **__: b'{\"returned\":1}')\n            except Exception:\n                pass\ndef attack(*given):\n    return 2",
    /expected/,
    [{ input: [], expected: 1 }],
  ),
  simple(
    'writes 1 GB where answers go',
    "import os\ndef attack(*given):\n    block = b'x' * (1 << 20)\n    for _ in range(1024):\n        os.write(3, block)\n    return 1",
    /wrote more|timed out/,
  ),
  simple(
    'prints 1 GB',
    "def attack(*given):\n    for _ in range(1024):\n        print('x' * (1 << 20))\n    return 1",
    /expected|timed out/,
  ),
  simple('returns a text of 100 MB', "def attack(*given):\n    return 'x' * 100_000_000", /longer than|out of memory/),
  simple('returns 10 million values', 'def attack(*given):\n    return [0] * 10_000_000', /more than|out of memory/),
  simple('returns an integer of 4 million bits', 'def attack(*given):\n    return 1 << 4_000_000', /bits/),
  simple(
    'returns a list 100,000 deep',
    'def attack(*given):\n    item = []\n    for _ in range(100_000):\n        item = [item]\n    return item',
    /deeper/,
  ),
  simple(
    'takes all memory',
    'def attack(*given):\n    return len(bytearray(1 << 34)) and [bytearray(b"x" * (1 << 20)) for _ in range(4096)]',
    /memory|Memory/,
  ),
  simple('loops for ever', 'def attack(*given):\n    while True:\n        pass', /timed out after 1000 ms/),
  simple(
    'loops for ever when it is read',
    'class Endless(dict):\n    def items(self):\n        while True:\n            pass\n    __iter__ = __len__ = __eq__ = __hash__ = items\ndef attack(*given):\n    return Endless()',
    /expected/,
  ),
  simple('recurses without end', 'def attack(*given):\n    return attack(*given)', /RecursionError/),
  simple(
    'recurses without end in C',
    'import sys\nsys.setrecursionlimit(10**9)\ndef attack(*given):\n    return attack(*given)',
    /segmentation fault|stack overflow|out of memory|RecursionError|timed out/,
  ),
  simple(
    'fills the disk',
    "def attack(*given):\n    with open('/tmp/big', 'wb') as file:\n        while True:\n            file.write(b'x' * (1 << 20))",
    /No space left|out of memory|timed out/,
  ),
  {
    name: 'Python returns what says that it is equal to everything',
    covers: ['H7', 'H9'],
    options,
    cases: [
      { input: [0], expected: 1 },
      { input: [1], expected: 'x' },
      { input: [2], expected: [1, 2] },
      { input: [3], expected: { a: 1 } },
      { input: [4], expected: null },
    ],
    code: `
class Meta(type):
    __name__ = property(lambda self: 'int')
    def __eq__(self, other): return True
    def __hash__(self): return hash(int)
    def __instancecheck__(self, other): return True
class Equal(metaclass=Meta):
    __class__ = property(lambda self: int)
    def __eq__(self, other): return True
    def __hash__(self): return 1
    def __index__(self): return 1
    __int__ = __index__
    def __repr__(self): return '1'
    __str__ = __repr__
class Text(str):
    def __str__(self): return 'x'
    __repr__ = __str__
    def __eq__(self, other): return True
class List(list):
    def __iter__(self): return iter([1, 2])
    def __len__(self): return 2
    def __eq__(self, other): return True
class Dict(dict):
    def items(self): return [('a', 1)]
    def __eq__(self, other): return True
def attack(number):
    return [Equal(), Text('y'), List([3]), Dict(b=2), Equal()][number]
`,
  },
];

/**
 * The searches find what is really there: the function gets a secret, keeps it out of sight, and is asked to find it
 * again.
 */
export const PYTHON_SEARCH_CONTROLS: readonly { name: string; code: string }[] = SEARCHES.filter(
  ([place]) => /memory$|objects|descriptors|files$/.test(place) && !/parents/.test(place),
).map(([place, code]) => ({
  name: place,
  code: `${SEARCH}\nkept = []\ndef attack(secret):\n    kept.append((secret, secret.encode()))\n    open('/tmp/kept', 'w').write(secret)\n    globals()['handle'] = os.open('/tmp/kept', os.O_RDONLY)\n    ${code}\n    return answer()\n`,
}));
