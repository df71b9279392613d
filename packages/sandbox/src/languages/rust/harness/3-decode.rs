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
