//! Lists in the user's language.

use super::{Localizable, TextArgument};

/// `a`, `a, b`, `a, b, c`. Empty without items.
pub fn list(items: impl IntoIterator<Item = impl Into<TextArgument>>) -> Localizable {
    let items = items.into_iter().map(|item| match item.into() {
        TextArgument::Plain(text) => Localizable::verbatim(text),
        TextArgument::Localizable(item) => item,
    });
    joined(items.collect())
}

/// Joins halves, so that a long list is not nested deeply.
fn joined(mut items: Vec<Localizable>) -> Localizable {
    if items.len() > 1 {
        let item = joined(items.split_off(items.len() / 2));
        return localizable!("{list}, {item}", list = joined(items), item);
    }
    items.pop().unwrap_or_else(|| Localizable::verbatim(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_any_length_is_joined_in_order() {
        assert_eq!(list(Vec::<String>::new()).to_string(), "");
        assert_eq!(list(["a"]).to_string(), "a");
        assert_eq!(list(["a", "b", "c"]).to_string(), "a, b, c");
        let many: Vec<String> = (0..100_000).map(|n| n.to_string()).collect();
        assert_eq!(list(many.clone()).to_string(), many.join(", "));
    }
}
