import { HOME, WORKSPACE } from '../../resolve-options.ts';

/** One exec, as the scripts below carry it out. */
export interface ScriptedExec {
  /** A directory inside that belongs to this exec alone. Its name is plain. */
  directory: string;
  argv: string[];
  cwd: string;
  env: Record<string, string>;
  /** The file `stdin` of the directory is given, and this many bytes long. Else standard input is empty. */
  stdinBytes: number | null;
  outputBytes: number;
}

/** The last line of a script's output. */
export interface ScriptEnd {
  exitCode: number;
  stdoutBytes: number;
  stderrBytes: number;
  /** Absent when they are too long to be printed: then the files `stdout` and `stderr` of the directory have them. */
  output?: { stdout: Buffer; stderr: Buffer };
}

/** Commands that the scripts need. */
const COMMANDS = ['base64', 'cat', 'env', 'head', 'mkdir', 'mkfifo', 'rm', 'setsid', 'sleep', 'tr', 'wc'];
const MARK = 'assay-exec-end';
/** Longer output goes another way than through the provider's own idea of output. */
const PRINTED_BYTES = 32 * 1024;

export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * A line of letters, digits and `+/=|>&` alone, which means the same under every kind of quoting that a provider may
 * wrap it in.
 */
export function plainLine(script: string, directory: string): string {
  const encoded = Buffer.from(script).toString('base64');
  return `mkdir -p ${directory} && echo ${encoded} | base64 -d > ${directory}/run && sh ${directory}/run`;
}

/** Makes the standard directories. Says on its standard output what is missing, or nothing. */
export function setUpScript(): string {
  const directories = [WORKSPACE, HOME, '/tmp'].map(
    (path) => `{ mkdir -p ${path} && [ -w ${path} ]; } 2> /dev/null || echo "${path} cannot be written"`,
  );
  const commands = COMMANDS.map((name) => `command -v ${name} > /dev/null || echo "there is no ${name}"`);
  return `${[...commands, ...directories, 'rm -rf "${0%/*}"'].join('\n')}\n`;
}

/**
 * The command runs in a session of its own. Its output goes through named pipes, of which the beginning is kept and the
 * rest read and dropped, and is printed, encoded, with the exit code. What is left of the session is killed first.
 */
export function execScript(exec: ScriptedExec): string {
  const { directory, argv, cwd, env, stdinBytes, outputBytes } = exec;
  // As unguessable as the directory: no argument holds such a line.
  const delimiter = `end of ${directory}`;
  const assignments = Object.entries(env).map(([name, value]) => quote(`${name}=${value}`));
  const input =
    stdinBytes === null
      ? 'setsid sh command < /dev/null'
      : 'exec 8< stdin; rm stdin; cat <&8 8<&- | setsid sh command 8<&-';
  const refuse = '{ echo "the input did not arrive whole" >&2; exit 1; }';
  return `
PATH=$PATH:/usr/local/bin:/usr/bin:/bin
cd ${directory} || exit 1
${stdinBytes === null ? '' : `[ "$(wc -c < stdin)" -eq ${stdinBytes} ] || ${refuse}`}
cat > command << '${delimiter}'
cd -- ${quote(cwd)} || exit 125
exec env -i ${assignments.join(' ')} ${argv.map(quote).join(' ')}
${delimiter}
mkfifo out err || exit 1
{ head -c ${outputBytes + 1} > stdout; cat > /dev/null; } < out &
keep_out=$!
{ head -c ${outputBytes + 1} > stderr; cat > /dev/null; } < err &
keep_err=$!
${input} > out 2> err &
session=$!
echo $session > session
wait $session
code=$?
${killSession('$session')}
{ sleep 2; kill -9 $keep_out $keep_err; } > /dev/null 2>&1 < /dev/null &
patience=$!
wait $keep_out $keep_err
kill -9 $patience
out=$(($(wc -c < stdout))) err=$(($(wc -c < stderr)))
echo
if [ $((out + err)) -le ${PRINTED_BYTES} ]; then
  echo "${MARK} $code $out $err o$(base64 < stdout | tr -d '\\n') e$(base64 < stderr | tr -d '\\n')"
  cd /
  rm -rf ${directory}
else
  echo "${MARK} $code $out $err"
fi
`;
}

/** Kills a running exec, which then ends by itself. */
export function killScript(directory: string): string {
  return `session=$(cat ${directory}/session) || exit 0\n${killSession('$session')}\nrm -rf "\${0%/*}"\n`;
}

/** Null when the script did not come to its end. */
export function readScriptEnd(stdout: string): ScriptEnd | null {
  const match = new RegExp(`^${MARK} (\\d+) (\\d+) (\\d+)(?: o([A-Za-z0-9+/=]*) e([A-Za-z0-9+/=]*))?\\r?$`, 'm').exec(
    stdout,
  );
  if (!match) return null;
  const [, exitCode, stdoutBytes, stderrBytes, out, err] = match;
  const end = { exitCode: Number(exitCode), stdoutBytes: Number(stdoutBytes), stderrBytes: Number(stderrBytes) };
  if (out === undefined || err === undefined) return end;
  return { ...end, output: { stdout: Buffer.from(out, 'base64'), stderr: Buffer.from(err, 'base64') } };
}

/** The sixth field of `stat` is the session. The second, the command's name, may hold anything. */
function killSession(session: string): string {
  return `for round in 1 2 3 4 5 6 7 8 9; do
  left=
  for file in /proc/[0-9]*/stat; do
    read -r line < "$file" || continue
    set -- \${line##*) }
    [ "$4" = "${session}" ] && [ "$1" != Z ] || continue
    pid=\${file#/proc/}
    kill -9 "\${pid%/stat}" && left=1
  done 2> /dev/null
  [ -n "$left" ] || break
done
kill -9 -- -${session} 2> /dev/null`;
}
