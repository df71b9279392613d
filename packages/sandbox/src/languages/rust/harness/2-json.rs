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
