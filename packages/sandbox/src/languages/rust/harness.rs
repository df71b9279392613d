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

/// Tagged JSON as it is written; see values/tagged-value.ts.
#[derive(Clone, Debug)]
pub enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    fn member(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }

    fn text(&self) -> Option<String> {
        match self {
            Json::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    fn kind(&self) -> Option<&str> {
        match self.member("$type") {
            Some(Json::Text(kind)) => Some(kind),
            _ => None,
        }
    }

    fn is_absent(&self) -> bool {
        matches!(self, Json::Null) || self.kind() == Some("undefined")
    }

    /// The text of a number, tagged or not.
    fn number(&self) -> Option<String> {
        match self {
            Json::Number(text) => Some(text.clone()),
            _ => match self.kind() {
                Some("number" | "bigint") => self.member("value").and_then(Json::text),
                _ => None,
            },
        }
    }

    fn list(&self) -> Option<&[Json]> {
        match self {
            Json::List(items) => Some(items),
            _ => match (self.kind(), self.member("values")) {
                (Some("tuple" | "set" | "frozenset" | "typed-array"), Some(Json::List(items))) => Some(items),
                _ => None,
            },
        }
    }

    fn entries(&self) -> Option<Vec<(Json, &Json)>> {
        match (self.kind(), self.member("entries"), self) {
            (Some("map" | "object"), Some(Json::List(pairs)), _) => pairs.iter().map(|pair| match pair {
                Json::List(both) if both.len() == 2 => Some((both[0].clone(), &both[1])),
                _ => None,
            }).collect(),
            (None, _, Json::Object(members)) => Some(members.iter().map(|(key, value)| (Json::Text(key.clone()), value)).collect()),
            _ => None,
        }
    }

    fn refusal(&self, wanted: &str) -> String {
        let shown: String = format!("{self:?}").chars().take(60).collect();
        format!("{shown} cannot be given as {wanted}")
    }
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn value(&mut self, depth: usize) -> Option<Json> {
        if depth > 10 * MOST_DEPTH {
            return None;
        }
        self.skip_spaces();
        match *self.bytes.get(self.at)? {
            b'n' => self.word("null", Json::Null),
            b't' => self.word("true", Json::Bool(true)),
            b'f' => self.word("false", Json::Bool(false)),
            b'"' => self.string().map(Json::Text),
            b'[' => self.items(b']', |parser| parser.value(depth + 1)).map(Json::List),
            b'{' => self.items(b'}', |parser| {
                parser.skip_spaces();
                let key = parser.string()?;
                parser.skip_spaces();
                parser.take(b':')?;
                Some((key, parser.value(depth + 1)?))
            }).map(Json::Object),
            _ => {
                let start = self.at;
                while matches!(self.bytes.get(self.at), Some(b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')) {
                    self.at += 1;
                }
                Some(Json::Number(String::from_utf8(self.bytes[start..self.at].to_vec()).ok()?))
            }
        }
    }

    fn word(&mut self, word: &str, value: Json) -> Option<Json> {
        self.at += word.len();
        Some(value)
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.bytes.get(self.at) == Some(&byte)).then(|| self.at += 1)
    }

    fn skip_spaces(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn items<T>(&mut self, end: u8, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip_spaces();
            if self.take(end).is_some() {
                return Some(items);
            }
            if !items.is_empty() {
                self.take(b',')?;
            }
            items.push(item(self)?);
        }
    }

    fn string(&mut self) -> Option<String> {
        self.take(b'"')?;
        let mut units: Vec<u16> = Vec::new();
        loop {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            match byte {
                b'"' => return Some(String::from_utf16_lossy(&units)),
                b'\\' => {
                    let escaped = *self.bytes.get(self.at)?;
                    self.at += 1;
                    units.push(match escaped {
                        b'n' => 10,
                        b't' => 9,
                        b'r' => 13,
                        b'b' => 8,
                        b'f' => 12,
                        b'u' => {
                            let digits = std::str::from_utf8(self.bytes.get(self.at..self.at + 4)?).ok()?;
                            self.at += 4;
                            u16::from_str_radix(digits, 16).ok()?
                        }
                        other => u16::from(other),
                    });
                }
                other => units.push(u16::from(other)),
            }
        }
    }
}

/// The argument at a place, as whatever the function takes there.
pub fn take<T: FromJson>(given: &[Json], place: usize) -> Result<T, String> {
    T::from_json(&given[place]).map_err(|reason| format!("argument {}: {reason}", place + 1))
}

pub fn count(given: &[Json], wanted: usize) -> Result<(), String> {
    if given.len() == wanted { Ok(()) } else { Err(format!("the function takes {wanted} arguments, not {}", given.len())) }
}

/// Types that arguments are made to.
pub trait FromJson: Sized {
    fn from_json(json: &Json) -> Result<Self, String>;
}

macro_rules! integers {
    ($($kind:ty)*) => {$(
        impl FromJson for $kind {
            fn from_json(json: &Json) -> Result<Self, String> {
                let text = json.number().unwrap_or_default();
                if let Ok(number) = text.parse::<$kind>() {
                    return Ok(number);
                }
                match text.parse::<f64>() {
                    Ok(number) if number.fract() == 0.0 && number.abs() <= SAFE_INTEGER as f64 => <$kind>::try_from(number as i64).map_err(|_| json.refusal(stringify!($kind))),
                    _ => Err(json.refusal(stringify!($kind))),
                }
            }
        }
        impl ToJson for $kind {
            fn write(&self, to: &mut Encoder) {
                let safe = i128::try_from(*self).is_ok_and(|number| number.abs() <= SAFE_INTEGER);
                to.put(&if safe { format!("{self}") } else { format!("{{\"$type\":\"bigint\",\"value\":\"{self}\"}}") });
            }
        }
        impl Key for $kind { const TEXT: bool = false; }
        impl FromKey for $kind {
            fn from_key(json: &Json) -> Result<Self, String> {
                Self::from_json(&json.text().map_or_else(|| json.clone(), Json::Number))
            }
        }
    )*};
}
integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

macro_rules! floats {
    ($($kind:ty)*) => {$(
        impl FromJson for $kind {
            fn from_json(json: &Json) -> Result<Self, String> {
                json.number().and_then(|text| text.parse().ok()).ok_or_else(|| json.refusal(stringify!($kind)))
            }
        }
        impl ToJson for $kind {
            fn write(&self, to: &mut Encoder) {
                let special = if self.is_nan() { "NaN" } else if *self == <$kind>::INFINITY { "Infinity" } else if *self == <$kind>::NEG_INFINITY { "-Infinity" }
                    else if *self == 0.0 && self.is_sign_negative() { "-0" } else { "" };
                to.put(&if special.is_empty() { format!("{self:e}") } else { format!("{{\"$type\":\"number\",\"value\":\"{special}\"}}") });
            }
        }
    )*};
}
floats!(f32 f64);

impl FromJson for bool {
    fn from_json(json: &Json) -> Result<Self, String> {
        if let Json::Bool(flag) = json { Ok(*flag) } else { Err(json.refusal("bool")) }
    }
}

impl FromJson for String {
    fn from_json(json: &Json) -> Result<Self, String> {
        json.text().ok_or_else(|| json.refusal("String"))
    }
}

impl FromJson for char {
    fn from_json(json: &Json) -> Result<Self, String> {
        let text = json.text().unwrap_or_default();
        let mut characters = text.chars();
        match (characters.next(), characters.next()) {
            (Some(character), None) => Ok(character),
            _ => Err(json.refusal("char")),
        }
    }
}

impl<T: FromJson> FromJson for Option<T> {
    fn from_json(json: &Json) -> Result<Self, String> {
        if json.is_absent() { Ok(None) } else { T::from_json(json).map(Some) }
    }
}

impl<T: FromJson> FromJson for Box<T> {
    fn from_json(json: &Json) -> Result<Self, String> {
        T::from_json(json).map(Box::new)
    }
}

fn collect<T: FromJson, C: FromIterator<T>>(json: &Json) -> Result<C, String> {
    json.list().ok_or_else(|| json.refusal("a list"))?.iter().map(T::from_json).collect()
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(json: &Json) -> Result<Self, String> {
        collect(json)
    }
}

impl<T: FromJson> FromJson for VecDeque<T> {
    fn from_json(json: &Json) -> Result<Self, String> {
        collect(json)
    }
}

impl<T: FromJson + Eq + Hash, S: BuildHasher + Default> FromJson for HashSet<T, S> {
    fn from_json(json: &Json) -> Result<Self, String> {
        collect(json)
    }
}

impl<T: FromJson + Ord> FromJson for BTreeSet<T> {
    fn from_json(json: &Json) -> Result<Self, String> {
        collect(json)
    }
}

impl<T: FromJson, const N: usize> FromJson for [T; N] {
    fn from_json(json: &Json) -> Result<Self, String> {
        collect::<T, Vec<T>>(json)?.try_into().map_err(|_| json.refusal("an array of that length"))
    }
}

/// Keys of maps, which JSON has as texts.
pub trait FromKey: Sized {
    fn from_key(json: &Json) -> Result<Self, String>;
}

impl FromKey for String {
    fn from_key(json: &Json) -> Result<Self, String> {
        Self::from_json(json)
    }
}

impl FromKey for char {
    fn from_key(json: &Json) -> Result<Self, String> {
        Self::from_json(json)
    }
}

fn collect_map<K: FromKey, V: FromJson, C: FromIterator<(K, V)>>(json: &Json) -> Result<C, String> {
    let entries = json.entries().ok_or_else(|| json.refusal("a map"))?;
    entries.into_iter().map(|(key, value)| Ok((K::from_key(&key)?, V::from_json(value)?))).collect()
}

impl<K: FromKey + Eq + Hash, V: FromJson, S: BuildHasher + Default> FromJson for HashMap<K, V, S> {
    fn from_json(json: &Json) -> Result<Self, String> {
        collect_map(json)
    }
}

impl<K: FromKey + Ord, V: FromJson> FromJson for BTreeMap<K, V> {
    fn from_json(json: &Json) -> Result<Self, String> {
        collect_map(json)
    }
}

/// Writes one value, within limits; after the first that is passed nothing more is written.
pub struct Encoder {
    text: String,
    nodes: usize,
    depth: usize,
    refused: Option<String>,
}

impl Encoder {
    fn put(&mut self, text: &str) {
        self.nodes += 1;
        if self.nodes > 6 * MOST_NODES {
            self.refused = Some(format!("it holds more than {MOST_NODES} values"));
        } else if self.text.len() + text.len() > MOST_CHARACTERS {
            self.refused = Some(format!("it is longer than {MOST_CHARACTERS} characters"));
        }
        if self.refused.is_none() {
            self.text.push_str(text);
        }
    }

    fn within(&mut self, before: &str, after: &str, content: impl FnOnce(&mut Self)) {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            self.refused = Some(format!("it nests deeper than {MOST_DEPTH} levels"));
        }
        self.put(before);
        if self.refused.is_none() {
            content(self);
        }
        self.put(after);
        self.depth -= 1;
    }

    fn items<'a, T: ToJson + ?Sized + 'a>(&mut self, before: &str, after: &str, items: impl Iterator<Item = &'a T>) {
        self.within(before, after, |to| {
            for (place, item) in items.enumerate() {
                if to.refused.is_some() {
                    return;
                }
                if place > 0 {
                    to.put(",");
                }
                item.write(to);
            }
        });
    }

    fn map<'a, K: ToJson + Key + 'a, V: ToJson + 'a>(&mut self, entries: impl Iterator<Item = (&'a K, &'a V)>) {
        let entries: Vec<(&K, &V)> = entries.collect();
        let plain = K::TEXT && !entries.iter().any(|(key, _)| encode(*key).is_ok_and(|text| text == "\"$type\""));
        let (before, after) = if plain { ("{", "}") } else if K::TEXT { ("{\"$type\":\"object\",\"entries\":[", "]}") } else { ("{\"$type\":\"map\",\"entries\":[", "]}") };
        self.within(before, after, |to| {
            for (place, (key, value)) in entries.into_iter().enumerate() {
                if to.refused.is_some() {
                    return;
                }
                to.put(if place > 0 { "," } else { "" });
                to.put(if plain { "" } else { "[" });
                key.write(to);
                to.put(if plain { ":" } else { "," });
                value.write(to);
                to.put(if plain { "" } else { "]" });
            }
        });
    }
}

fn encode<T: ToJson + ?Sized>(value: &T) -> Result<String, String> {
    let mut encoder = Encoder { text: String::new(), nodes: 0, depth: 0, refused: None };
    value.write(&mut encoder);
    encoder.refused.map_or(Ok(encoder.text), |reason| Err(format!("the result cannot be taken: {reason}")))
}

/// A JSON string of ASCII.
fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for unit in text.encode_utf16() {
        match unit {
            0x22 | 0x5c => {
                out.push('\\');
                out.push(char::from(unit as u8));
            }
            0x20..=0x7e => out.push(char::from(unit as u8)),
            _ => {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out.push('"');
    out
}

/// Types that can be observed.
pub trait ToJson {
    fn write(&self, to: &mut Encoder);
}

/// Types of keys, and whether they are texts.
pub trait Key {
    const TEXT: bool;
}

impl Key for String { const TEXT: bool = true; }
impl Key for &str { const TEXT: bool = true; }
impl Key for char { const TEXT: bool = true; }
impl Key for bool { const TEXT: bool = false; }
impl<T> Key for Vec<T> { const TEXT: bool = false; }
impl<A, B> Key for (A, B) { const TEXT: bool = false; }

impl ToJson for bool {
    fn write(&self, to: &mut Encoder) {
        to.put(if *self { "true" } else { "false" });
    }
}

impl ToJson for str {
    fn write(&self, to: &mut Encoder) {
        let fits = self.len() <= MOST_CHARACTERS;
        to.put(&if fits { quote(self) } else { " ".repeat(MOST_CHARACTERS + 1) });
    }
}

impl ToJson for String {
    fn write(&self, to: &mut Encoder) {
        self.as_str().write(to);
    }
}

impl ToJson for char {
    fn write(&self, to: &mut Encoder) {
        to.put(&quote(&self.to_string()));
    }
}

impl ToJson for () {
    fn write(&self, to: &mut Encoder) {
        to.put("null");
    }
}

macro_rules! pointers {
    ($($kind:ty)*) => {$(
        impl<T: ToJson + ?Sized> ToJson for $kind {
            fn write(&self, to: &mut Encoder) {
                (**self).write(to);
            }
        }
    )*};
}
pointers!(&T &mut T Box<T> Rc<T>);

impl<T: ToJson + ?Sized + ToOwned> ToJson for Cow<'_, T> {
    fn write(&self, to: &mut Encoder) {
        self.as_ref().write(to);
    }
}

impl<T: ToJson> ToJson for Option<T> {
    fn write(&self, to: &mut Encoder) {
        match self {
            Some(value) => value.write(to),
            None => to.put("null"),
        }
    }
}

impl<T: ToJson> ToJson for [T] {
    fn write(&self, to: &mut Encoder) {
        to.items("[", "]", self.iter());
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn write(&self, to: &mut Encoder) {
        self.as_slice().write(to);
    }
}

impl<T: ToJson, const N: usize> ToJson for [T; N] {
    fn write(&self, to: &mut Encoder) {
        self.as_slice().write(to);
    }
}

impl<T: ToJson> ToJson for VecDeque<T> {
    fn write(&self, to: &mut Encoder) {
        to.items("[", "]", self.iter());
    }
}

const SET: &str = "{\"$type\":\"set\",\"values\":[";

impl<T: ToJson, S> ToJson for HashSet<T, S> {
    fn write(&self, to: &mut Encoder) {
        to.items(SET, "]}", self.iter());
    }
}

impl<T: ToJson> ToJson for BTreeSet<T> {
    fn write(&self, to: &mut Encoder) {
        to.items(SET, "]}", self.iter());
    }
}

impl<K: ToJson + Key, V: ToJson, S> ToJson for HashMap<K, V, S> {
    fn write(&self, to: &mut Encoder) {
        to.map(self.iter());
    }
}

impl<K: ToJson + Key, V: ToJson> ToJson for BTreeMap<K, V> {
    fn write(&self, to: &mut Encoder) {
        to.map(self.iter());
    }
}

macro_rules! tuples {
    ($(($($kind:ident $place:tt),+))*) => {$(
        impl<$($kind: ToJson),+> ToJson for ($($kind,)+) {
            fn write(&self, to: &mut Encoder) {
                let items: [&dyn ToJson; [$($place),+].len()] = [$(&self.$place),+];
                to.items("{\"$type\":\"tuple\",\"values\":[", "]}", items.into_iter());
            }
        }
        impl<$($kind: FromJson),+> FromJson for ($($kind,)+) {
            fn from_json(json: &Json) -> Result<Self, String> {
                match json.list() {
                    Some(items) if items.len() == [$($place),+].len() => Ok(($($kind::from_json(&items[$place])?,)+)),
                    _ => Err(json.refusal("a tuple")),
                }
            }
        }
    )*};
}
tuples!((A 0) (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) (A 0, B 1, C 2, D 3, E 4));

/// What a function returned. Which of the traits below gives the outcome depends on its type: the first that fits, as its method is found
/// with the fewest references taken.
pub struct Returned<T>(pub T);

pub trait ErrorAsText {
    fn outcome(&self) -> Result<String, String>;
}
pub trait ErrorAsDebug {
    fn outcome(&self) -> Result<String, String>;
}
pub trait ErrorAsNothing {
    fn outcome(&self) -> Result<String, String>;
}
pub trait AsValue {
    fn outcome(&self) -> Result<String, String>;
}

fn settled<T: ToJson, E>(result: &Result<T, E>, describe: impl FnOnce(&E) -> String) -> Result<String, String> {
    match result {
        Ok(value) => returned(value),
        Err(error) => {
            let path = std::any::type_name::<E>().split('<').next().unwrap_or_default();
            let name = path.rsplit("::").next().unwrap_or_default();
            Ok(thrown(if matches!(name, "String" | "&str" | "Box" | "()") { "error" } else { name }, &describe(error)))
        }
    }
}

fn returned<T: ToJson>(value: &T) -> Result<String, String> {
    encode(value).map(|text| format!("{{\"returned\":{text}}}"))
}

impl<T: ToJson, E: Display> ErrorAsText for &&&Returned<Result<T, E>> {
    fn outcome(&self) -> Result<String, String> {
        settled(&self.0, ToString::to_string)
    }
}

impl<T: ToJson, E: Debug> ErrorAsDebug for &&Returned<Result<T, E>> {
    fn outcome(&self) -> Result<String, String> {
        settled(&self.0, |error| format!("{error:?}"))
    }
}

impl<T: ToJson, E> ErrorAsNothing for &Returned<Result<T, E>> {
    fn outcome(&self) -> Result<String, String> {
        settled(&self.0, |_| String::new())
    }
}

impl<T: ToJson> AsValue for Returned<T> {
    fn outcome(&self) -> Result<String, String> {
        returned(&self.0)
    }
}
