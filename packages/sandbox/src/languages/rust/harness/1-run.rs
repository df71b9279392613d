//! Calls the function of a submission, one case after the other. See run-tests/driver-protocol.ts.
//!
//! Compiled once, before any submission, as the crate `assay`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt::{Debug, Display, Write as _};
use std::fs::File;
use std::hash::{BuildHasher, Hash};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::FromRawFd;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::rc::Rc;

const STACK_BYTES: usize = 64 << 20;
const MOST_CHARACTERS: usize = 4 << 20;
const MOST_NODES: usize = 200_000;
const MOST_DEPTH: usize = 100;
const SAFE_INTEGER: i128 = (1 << 53) - 1;

/// What is called for a case: gives an outcome as JSON, or why there is none.
pub type Target = fn(&[Json]) -> Result<String, String>;

/// Answers requests until there are no more.
pub fn run(target: Target) {
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || serve(target));
    if let Ok(handle) = worker {
        let _ = handle.join();
    }
    std::process::exit(0);
}

fn serve(target: Target) {
    // The descriptors are ours: whoever started us opened them.
    let (mut answers, mut requests) = unsafe { (File::from_raw_fd(3), BufReader::new(File::from_raw_fd(4))) };
    let nonce = match read(&mut requests).and_then(|greeting| greeting.member("nonce").and_then(Json::text)) {
        Some(nonce) => nonce,
        None => return,
    };
    let mut say = |word: &str, text: &str| {
        let _ = answers.write_all(format!("\n{nonce} {word} {text}\n").as_bytes());
    };
    say("started", "{}");
    say("loaded", "{}");
    while let Some(request) = read(&mut requests) {
        let (Some(id), Some(Json::List(input))) = (request.member("id").and_then(Json::text), request.member("input")) else { return };
        say(&id, &outcome(target, input));
    }
}

fn read(requests: &mut BufReader<File>) -> Option<Json> {
    let mut line = String::new();
    match requests.read_line(&mut line) {
        Ok(length) if length > 0 => Parser { bytes: line.as_bytes(), at: 0 }.value(0),
        _ => None,
    }
}

fn outcome(target: Target, input: &[Json]) -> String {
    match catch_unwind(AssertUnwindSafe(|| target(input))) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(reason)) => format!("{{\"failed\":{}}}", quote(&reason)),
        Err(cause) => {
            let message = cause.downcast_ref::<&str>().map(|text| text.to_string()).or_else(|| cause.downcast_ref::<String>().cloned());
            // What was thrown may panic again when it is dropped.
            std::mem::forget(cause);
            thrown("panic", &message.unwrap_or_default())
        }
    }
}

fn thrown(name: &str, message: &str) -> String {
    let short: String = message.chars().take(10_000).collect();
    format!("{{\"thrown\":{{\"name\":{},\"message\":{}}}}}", quote(name), quote(&short))
}
