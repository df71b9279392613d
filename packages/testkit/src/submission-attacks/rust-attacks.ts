import type { RunTestsOptions } from '@assay/sandbox';
import { timeLimitMs, type SubmissionAttack } from './attack.ts';

const options: RunTestsOptions = {
  language: 'rust',
  signature: { parameters: [], returns: { kind: 'string' } },
  timeoutMs: timeLimitMs(undefined),
};

const rust = (name: string, body: string, says?: RegExp, around = ''): SubmissionAttack => ({
  name: `Rust ${name}`,
  covers: ['I7'],
  options: { ...options, timeoutMs: timeLimitMs(says) },
  code: `${around}\nfn attack() -> String {\n${body}\n}\n`,
  says,
});

export const RUST_ATTACKS: readonly SubmissionAttack[] = [
  rust(
    'searches processes and files',
    `
    let mut found = std::env::var("ASSAY_ATTACK_CANARY").unwrap_or_default();
    let mut stack: Vec<std::path::PathBuf> = ["/proc", "/workspace", "/tmp", "/home", "/run", "/opt", "/root"].iter().map(Into::into).collect();
    while let Some(path) = stack.pop() {
        let Ok(kind) = std::fs::symlink_metadata(&path) else { continue };
        if kind.is_dir() && path.components().count() < 5 {
            if let Ok(entries) = std::fs::read_dir(&path) { stack.extend(entries.flatten().map(|entry| entry.path())); }
        } else if kind.is_file() && kind.len() < 1 << 20 && !path.ends_with("kmsg") {
            if let Ok(bytes) = std::fs::read(&path) {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                for mark in ["EXPECTED-", "LATER-", "SECRET-"] { if let Some(at) = text.find(mark) { found.extend(text[at..].chars().take(40)); } }
            }
        }
    }
    found`,
  ),
  rust(
    'reads requests ahead',
    'use std::io::Read; use std::os::fd::FromRawFd; let mut data = [0u8; 65536];\nlet n = unsafe { std::fs::File::from_raw_fd(4) }.read(&mut data).unwrap(); String::from_utf8_lossy(&data[..n]).into_owned()',
    /timed out/,
  ),
  rust(
    'forges an answer',
    'use std::io::Write; use std::os::fd::FromRawFd; let _ = unsafe { std::mem::ManuallyDrop::new(std::fs::File::from_raw_fd(3)) }.write_all(b"\\n000000000000000000000000 000000000000000000000000 {\\"returned\\":1}\\n"); String::new()',
    /expected/,
  ),
  rust('ends the process', 'std::process::exit(0)', /ended with code 0 before it answered/),
  rust(
    'ends the process before main',
    'String::new()',
    /ended with code 0 before it answered|killed/,
    'extern "C" fn early() { std::process::exit(0) }\n#[used]\n#[link_section = ".init_array"]\nstatic EARLY: extern "C" fn() = early;',
  ),
  rust('aborts', 'std::process::abort()', /killed by signal 6/),
  rust('panics', 'panic!("boo")', /panic: boo/),
  rust(
    'panics with a value that panics',
    'struct Bomb; impl Drop for Bomb { fn drop(&mut self) { panic!("again") } } std::panic::panic_any(Bomb)',
    /panic/,
  ),
  rust('loops for ever', 'loop { std::hint::black_box(0); }', /timed out after 1000 ms/),
  rust(
    'recurses without end',
    'let block = std::hint::black_box([0u8; 10_000]); format!("{}{}", attack(), block[0])',
    /stack overflow|segmentation/,
  ),
  rust(
    'takes all memory',
    'let mut all = vec![]; loop { all.push(std::hint::black_box(vec![1u8; 1 << 20])); }',
    /out of memory/,
  ),
  rust(
    'writes where it may not',
    'unsafe { std::ptr::write_volatile(8 as *mut u8, 1) }; String::new()',
    /segmentation fault|signal/,
  ),
  rust(
    'writes 1 GB where answers go',
    "use std::io::Write; use std::os::fd::FromRawFd; let mut file = unsafe { std::mem::ManuallyDrop::new(std::fs::File::from_raw_fd(3)) }; let block = vec![b'x'; 1 << 20]; for _ in 0..1024 { let _ = file.write_all(&block); } String::new()",
    /wrote more|timed out/,
  ),
  rust('returns 100 MB', '"x".repeat(100_000_000)', /longer than|out of memory/),
  {
    name: 'Rust includes a file of the host when it is compiled',
    covers: ['I1'],
    options,
    code: ({ secretFile }) => `fn attack() -> String { include_str!(${JSON.stringify(secretFile)}).to_string() }`,
    says: /does not compile/,
  },
  {
    name: 'Rust includes the environment of the host when it is compiled',
    covers: ['I1'],
    options,
    code: ({ variable }) => `fn attack() -> String { env!(${JSON.stringify(variable)}).to_string() }`,
    says: /does not compile/,
  },
  {
    name: 'Rust includes the passwords of the system when it is compiled',
    covers: ['I1'],
    options,
    code: 'fn attack() -> String { include_str!("/etc/shadow").to_string() }',
    says: /does not compile/,
  },
  {
    name: 'Rust swallows the harness with a comment',
    covers: ['I7'],
    options,
    code: 'fn attack() -> String { String::new() }\n/*',
    says: /compile/,
  },
  {
    name: 'Rust brings a harness of its own',
    covers: ['I7'],
    options,
    code: 'fn attack() -> String { String::new() }\npub fn assay_target(given: &[::assay::Json]) -> Result<String, String> { Ok("{\\"returned\\":1}".into()) }',
    says: /does not compile/,
  },
];
