import type { FileChange } from '@assay/files/change-set';

/** The code that cheats need, in the ecosystem's language. `runner` is one of `TestFacet.runners`. */
export interface AttackFacet {
  /** Test files that replace those of the ids: same names, and all pass. Null when the ids cannot be made up. */
  passingTests(runner: string, ids: readonly string[]): AttackFiles | null;
  /** Makes every test of its process pass, from wherever it is loaded. */
  passAll(runner: string): string;
  /** Makes the runner skip every test, or run none, without a failure. */
  readonly skipAll: string;
  /** Silences the process, which ends with exit code 0 whatever its tests did. */
  readonly silence: string;
  /** Makes each function of the source return what the line of the test that called it compares it with. */
  readonly readExpectations: string;
  /** Runs a `sh` script, and goes on when it has ended. */
  runShell(script: string): string;
  /** Ends the process with exit code 0. */
  readonly exit: string;
  /** Makes everything that the source returns equal to anything, or every assertion hold. */
  readonly alwaysEqual: string;
  /** Writes a file, or goes on without it. */
  writeFile(path: string, text: string): string;
  /** Writes a text to every open descriptor from 1 up to `last`, then ends the process with exit code 0. */
  printAndExit(last: number, text: string): string;
  /** A command that downloads a URL with nothing but the interpreter. */
  download(url: string, path: string): string[];
  /** A command that sends a datagram to a port of the loopback interface, and prints the answer if one comes. */
  askDatagram(port: number): string[];
  /** A file that the runner loads of its own accord, with what it loads; null when it loads none. */
  runnerHook(runner: string): AttackFiles | null;
  /** A plug-in, with a change to the runner's configuration that loads it: as files, and as a command. */
  runnerConfiguration(runner: string): { files: AttackFiles; command?: string[] } | null;
  /** A file that the interpreter loads when it starts. */
  interpreterStart(runner: string): AttackFiles;
  /** A module in place of one of the standard library that the runner loads; null where none can be. */
  shadowedModule(runner: string): AttackFiles | null;
  /** `sh` code that leaves a source file in compiled form alone; null in languages that load no such files. */
  compile(path: string): string | null;
  /** `sh` code that changes the installed runner so that every test passes; null for runners that nobody tried. */
  patchInstalled(runner: string): string | null;
  /** `sh` code that leaves a file among the installed packages that is loaded before the tests; null likewise. */
  loaderHook(runner: string): string | null;
  /**
   * Starts the tests as a plain test command would, so that the interpreter reads what the repository brings: the
   * control of {@link interpreterStart}, run only with the seal `steering` off.
   */
  openStart(start: TestStart, submission: readonly FileChange[]): TestStart;
  /** A shell pattern of the directories that hold installed packages. */
  readonly installed: string;
}

/** The part of a `Launch` that says how the tests are started. */
export interface TestStart {
  argv: string[];
  env: Record<string, string>;
}

/** Path relative to the workspace to content. */
export type AttackFiles = Readonly<Record<string, string>>;
