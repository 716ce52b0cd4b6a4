//! Lists in the user's language.

use super::{Localizable, Value};

/// A list of any length: `a`, `a, b`, `a, b, c`. Empty without items.
pub fn list(items: impl IntoIterator<Item = impl Into<Value>>) -> Localizable {
    let items = items.into_iter().map(|item| match item.into() {
        Value::Plain(text) => Localizable::verbatim(text),
        Value::Localizable(item) => item,
    });
    items
        .reduce(|list, item| localizable!("{list}, {item}", list, item))
        .unwrap_or_else(|| Localizable::verbatim(""))
}
