import type { RunTestsOptions } from '@assay/sandbox';
import { timeLimitMs, type SubmissionAttack } from './attack.ts';

const options: RunTestsOptions = {
  language: 'go',
  signature: { parameters: [], returns: { kind: 'string' } },
  timeoutMs: timeLimitMs(undefined),
};

const go = (
  name: string,
  imports: string,
  code: string | { around: string; body: string },
  says?: RegExp,
): SubmissionAttack => {
  const { around, body } = typeof code === 'string' ? { around: '', body: code } : code;
  return {
    name: `Go ${name}`,
    covers: ['I7'],
    options: { ...options, timeoutMs: timeLimitMs(says) },
    code: `package main\n${imports
      .split(' ')
      .filter((each) => each !== '')
      .map((each) => `import "${each}"`)
      .join('\n')}\n${around}\nfunc attack(given ...interface{}) string {\n${body}\n}\n`,
    says,
  };
};

export const GO_ATTACKS: readonly SubmissionAttack[] = [
  go(
    'searches processes and files',
    'os path/filepath regexp io/fs strings',
    `
    pattern := regexp.MustCompile("(?:EXPECTED|LATER|SECRET)-[0-9a-f]{24}")
    found := os.Getenv("ASSAY_ATTACK_CANARY")
    for _, root := range []string{"/proc", "/workspace", "/tmp", "/home", "/run", "/opt", "/root"} {
      filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
        if err == nil && entry.Type().IsRegular() && !strings.Contains(path, "kmsg") && !strings.Contains(path, "/task/") && strings.Count(path, "/") < 5 {
          if file, err := os.Open(path); err == nil {
            data := make([]byte, 1 << 16)
            count, _ := file.Read(data)
            found += string(pattern.Find(data[:count]))
            file.Close()
          }
        }
        return nil
      })
    }
    return found`,
  ),
  go(
    'reads requests ahead',
    'os',
    'go func() { os.Stdin.Read(make([]byte, 1)) }()\ndata := make([]byte, 1<<16)\nn, _ := os.NewFile(4, "").Read(data)\nreturn string(data[:n])',
    /timed out/,
  ),
  go(
    'forges an answer',
    'fmt os',
    'fmt.Fprintf(os.NewFile(3, ""), "\\n000000000000000000000000 000000000000000000000000 {\\"returned\\":\\"x\\"}\\n")\nreturn "y"',
    /expected/,
  ),
  go('ends the process', 'os', 'os.Exit(0)\nreturn ""', /ended with code 0 before it answered/),
  go(
    'ends the process before main',
    'os',
    { around: 'func init() { os.Exit(0) }', body: 'return ""' },
    /ended with code 0 before it answered/,
  ),
  go('never gets to main', '', { around: 'func init() { for {} }', body: 'return ""' }, /timed out/),
  go(
    'spins in goroutines',
    '',
    'for i := 0; i < 100; i++ { go func() { for {} }() }\nfor {}',
    /timed out after 1000 ms/,
  ),
  go('panics', '', 'panic("boo")', /panic: boo/),
  go('panics in a goroutine', 'time', 'go func() { panic("boo") }()\ntime.Sleep(time.Minute)\nreturn ""', /panic: boo/),
  go('ends its goroutine', 'runtime', 'runtime.Goexit()\nreturn ""', /ended its goroutine/),
  go('recurses without end', '', 'return attack(given...) + "x"', /stack overflow/),
  go(
    'takes all memory',
    '',
    'var all [][]byte\nfor {\n block := make([]byte, 1<<20)\n for index := range block { block[index] = 1 }\n all = append(all, block)\n}',
    /out of memory/,
  ),
  go(
    'bombs with processes',
    'os/exec',
    'for { exec.Command("/bin/sh", "-c", "sleep 100 & sleep 100 &").Start() }',
    /timed out|out of memory|panic|ended with code/,
  ),
  go(
    'writes 1 GB where answers go',
    'os strings',
    'block := []byte(strings.Repeat("x", 1<<20))\nfile := os.NewFile(3, "")\nfor i := 0; i < 1024; i++ { file.Write(block) }\nreturn ""',
    /wrote more|timed out/,
  ),
  go('returns 100 MB', 'strings', 'return strings.Repeat("x", 100_000_000)', /longer than|out of memory/),
  go('calls C', 'C', 'return ""', /does not compile/),
  {
    name: 'Go embeds a file of the host',
    covers: ['I1'],
    options,
    code: ({ secretFile }) =>
      `package main\nimport _ "embed"\n//go:embed ${secretFile}\nvar secret string\nfunc attack(given ...interface{}) string { return secret }\n`,
    says: /does not compile/,
  },
  {
    name: 'Go swallows the harness with a comment',
    covers: ['I7'],
    options,
    code: 'package main\nfunc attack(given ...interface{}) string { return "" }\n/*',
    says: /does not compile/,
  },
  {
    name: 'Go brings a harness of its own',
    covers: ['I7'],
    options,
    code: 'package main\nfunc attack() string { return "" }\nfunc AssayTarget() interface{} { return attack }',
    says: /does not compile/,
  },
];
