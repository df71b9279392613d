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
