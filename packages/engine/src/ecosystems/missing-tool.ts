import { withoutFlood } from './telling-text.ts';

/** What a build asked this machine for in vain. */
export interface MissingTool {
  /** Such as `a C compiler` or `the header ffi.h`. */
  what: string;
  /** The Debian package that brings it; undefined when nobody here knows. */
  debianPackage?: string;
}

/** Programs that builds start, as their callers name them, and the packages that bring them. */
const PROGRAMS: [names: string, what: string, debianPackage: string][] = [
  ['(?:[\\w]+-linux-gnu-)?(?:gcc|cc|clang)(?:-\\d+)?', 'a C compiler', 'gcc'],
  ['(?:[\\w]+-linux-gnu-)?(?:g\\+\\+|c\\+\\+|clang\\+\\+)(?:-\\d+)?', 'a C++ compiler', 'g++'],
  ['(?:gfortran|f77|f95)', 'a Fortran compiler', 'gfortran'],
  ['(?:cargo|rustc)', 'a Rust compiler', 'cargo'],
  ['g?make', 'make', 'make'],
  ['cmake3?', 'CMake', 'cmake'],
  ['ninja(?:-build)?', 'ninja', 'ninja-build'],
  ['pkg-?config', 'pkg-config', 'pkg-config'],
  ['swig', 'SWIG', 'swig'],
  ['(?:autoconf|autoreconf)', 'autoconf', 'autoconf'],
  ['(?:automake|aclocal)', 'automake', 'automake'],
  ['libtool(?:ize)?', 'libtool', 'libtool'],
  ['git', 'git', 'git'],
  ['python[23]?', 'Python', 'python3'],
  ['pg_config', 'the PostgreSQL client library', 'libpq-dev'],
  ['(?:mysql|mariadb)_config', 'the MySQL client library', 'default-libmysqlclient-dev'],
  ['xml2-config', 'the library libxml2', 'libxml2-dev'],
  ['xslt-config', 'the library libxslt', 'libxslt1-dev'],
  ['curl-config', 'the library libcurl', 'libcurl4-openssl-dev'],
];

/** How shells, interpreters and build tools say that there is no program `NAME`. */
const NO_PROGRAM = [
  '(?:^|[\\s:])(?:[\\w/]*/)?NAME: (?:[Cc]ommand )?not found',
  '(?:^|[\\s:])(?:[\\w/]*/)?NAME: No such file or directory',
  '\\bcommand [\'"](?:[\\w/]*/)?NAME[\'"] failed: (?:No such file|\\[Errno 2\\])',
  '\\bunable to execute [\'"]?(?:[\\w/]*/)?NAME[\'"]?: No such file',
  "No such file or directory: '(?:[\\w/]*/)?NAME'",
  '\\b(?:linker|compiler|program) [`\'"]NAME[`\'"]:? (?:was )?not found',
  '\\bspawn NAME ENOENT\\b',
  '\\bnot found: NAME\\b',
  '\\bCannot find command [\'"]NAME[\'"]',
  '\\bNAME(?: executable)? (?:was )?not found\\b',
];

/** Sentences of tools of their own. */
const SENTENCES: [RegExp, string, string][] = [
  [
    /Unknown compiler\(s\): \[\[?'(?:cc|gcc|icc)'|CMAKE_C_COMPILER(?: not set|-NOTFOUND| could be found)/,
    'a C compiler',
    'gcc',
  ],
  [
    /Unknown compiler\(s\): \[\[?'(?:c\+\+|g\+\+|icpc)'|CMAKE_CXX_COMPILER(?: not set|-NOTFOUND| could be found)/,
    'a C++ compiler',
    'g++',
  ],
  [/Unknown compiler\(s\): \[\[?'(?:gfortran|flang)/, 'a Fortran compiler', 'gfortran'],
  [
    /can't find Rust compiler|Cargo, the Rust package manager, is not installed|requires Rust and Cargo/i,
    'a Rust compiler',
    'cargo',
  ],
  [
    /gyp ERR! (?:find Python|stack Error: Could not find any Python)|Could not find any Python installation/,
    'Python',
    'python3',
  ],
  [/Did not find pkg-config|Could NOT find PkgConfig|Pkg-config .{0,40}not found/i, 'pkg-config', 'pkg-config'],
  [/CMake must be installed|Problem with the CMake installation, aborting build/, 'CMake', 'cmake'],
  [/libxml2 and libxslt development packages/, 'the libraries libxml2 and libxslt', 'libxslt1-dev'],
];

/** Headers, by how their paths begin, and the packages that bring them. */
const HEADERS: [RegExp, string][] = [
  [/^Python\.h$/, 'python3-dev'],
  [/^(?:stdio|stdlib|string|limits|errno|stdint)\.h$/, 'libc6-dev'],
  [/^(?:iostream|string|vector|memory|cstdint)$/, 'g++'],
  [/^ffi\.h$/, 'libffi-dev'],
  [/^openssl\//, 'libssl-dev'],
  [/^(?:libpq-fe|pg_config|postgres)/, 'libpq-dev'],
  [/^(?:mysql|mysqld_error|mariadb)/, 'default-libmysqlclient-dev'],
  [/^libxml(?:2)?\//, 'libxml2-dev'],
  [/^libxslt\//, 'libxslt1-dev'],
  [/^zlib\.h$/, 'zlib1g-dev'],
  [/^bzlib\.h$/, 'libbz2-dev'],
  [/^lzma\.h$/, 'liblzma-dev'],
  [/^zstd\.h$/, 'libzstd-dev'],
  [/^jpeglib\.h$/, 'libjpeg-dev'],
  [/^png\.h$/, 'libpng-dev'],
  [/^yaml\.h$/, 'libyaml-dev'],
  [/^sqlite3\.h$/, 'libsqlite3-dev'],
  [/^curl\//, 'libcurl4-openssl-dev'],
  [/^gmp\.h$/, 'libgmp-dev'],
  [/^mpfr\.h$/, 'libmpfr-dev'],
  [/^(?:cairo\/)?cairo.*\.h$/, 'libcairo2-dev'],
  [/^X11\//, 'libx11-dev'],
  [/^boost\//, 'libboost-dev'],
  [/^ldap\.h$/, 'libldap-dev'],
  [/^sasl\//, 'libsasl2-dev'],
  [/^(?:krb5|gssapi)/, 'libkrb5-dev'],
  [/^ncurses|^curses\.h$/, 'libncurses-dev'],
  [/^readline\//, 'libreadline-dev'],
  [/^uuid\//, 'uuid-dev'],
  [/^(?:zmq|czmq)\.h$/, 'libzmq3-dev'],
  [/^hdf5\.h$/, 'libhdf5-dev'],
  [/^snappy/, 'libsnappy-dev'],
  [/^(?:pcap)/, 'libpcap-dev'],
  [/^sndfile\.h$/, 'libsndfile1-dev'],
  [/^libusb/, 'libusb-1.0-0-dev'],
  [/^systemd\//, 'libsystemd-dev'],
];
const NO_HEADER =
  /fatal error: '?([\w./+-]+)'?(?::| file) (?:No such file or directory|not found)|Cannot open include file: '([\w./+-]+)'/;
/** pkg-config and those who ask it for a library. */
const NO_LIBRARY =
  /No package '([\w.+-]+)' found|Package '?([\w.+-]+?)'?,? (?:required by .*|was) not found|Dependency "([\w.+-]+)" not found|cannot find -l([\w+-]+)/;

/** Finds the program, header or library of this machine that a failed build says it lacks; null when it names none. */
export function missingTool(printed: string): MissingTool | null {
  const output = withoutFlood(printed);
  for (const [pattern, what, debianPackage] of SENTENCES) if (pattern.test(output)) return { what, debianPackage };
  for (const { pattern, what, debianPackage } of PATTERNS) if (pattern.test(output)) return { what, debianPackage };
  const header = firstGroup(NO_HEADER, output);
  if (header !== undefined) {
    const known = HEADERS.find(([path]) => path.test(header))?.[1];
    return { what: `the header ${header}`, ...(known !== undefined && { debianPackage: known }) };
  }
  const library = firstGroup(NO_LIBRARY, output);
  return library === undefined ? null : { what: `the library ${library}` };
}

const PATTERNS = PROGRAMS.map(([names, what, debianPackage]) => ({
  pattern: new RegExp(NO_PROGRAM.map((form) => form.replace('NAME', names)).join('|'), 'm'),
  what,
  debianPackage,
}));

const firstGroup = (pattern: RegExp, text: string): string | undefined =>
  pattern
    .exec(text)
    ?.slice(1)
    .find((group) => group !== undefined);

/** Says in one clause what is missing and what to install. */
export const describeMissing = ({ what, debianPackage }: MissingTool): string =>
  debianPackage === undefined
    ? `it needs ${what}`
    : `needs ${what}, which this machine lacks: install \`${debianPackage}\``;
