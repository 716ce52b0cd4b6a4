//! The filter line: `title:파이썬 state:waiting`. It is another view of the filter fields. Words without a field
//! belong to the first field, or to the e-mail field if they contain an `@`.

use super::value::{
    FilterChoice, FilterContext, FilterField, FilterFieldKind, FilterValue, date_words, is_end, is_known,
    is_known_mail, one_word, read,
};
use crate::config::nearest;
use crate::domain::narrowing::{is_word, plain};
use crate::domain::{BadgeTypeCode, MailIs, StateIs};
use crate::i18n::{Language, in_language};
use crate::tui::prelude::*;
use std::collections::VecDeque;

/// Maximum words after the first one of a value.
const MOST_WORDS: usize = 12;
/// Quotation marks that an input method may type.
const QUOTES: [char; 3] = ['"', '\u{201c}', '\u{201d}'];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Word {
    /// In bytes of the line.
    from: usize,
    /// The text before the colon, if there is one outside of quotation marks.
    field: Option<String>,
    value: String,
}

/// Splits a line at spaces outside of quotation marks. `\` keeps the next character as it is.
fn words(line: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let (mut word, mut quoted) = (None::<Word>, false);
    let mut was_quoted = false;
    let mut chars = line.char_indices();
    while let Some((at, c)) = chars.next() {
        if c.is_whitespace() && !quoted {
            words.extend(word.take());
            was_quoted = false;
            continue;
        }
        let now = word.get_or_insert_with(|| Word { from: at, ..Word::default() });
        match c {
            c if QUOTES.contains(&c) => (quoted, was_quoted) = (!quoted, true),
            '\\' => now.value.extend(chars.next().map(|(_, c)| c)),
            ':' if now.field.is_none() && !was_quoted => now.field = Some(std::mem::take(&mut now.value)),
            c => now.value.push(c),
        }
    }
    words.extend(word);
    words
}

impl Word {
    /// As a part of a value of several words.
    fn whole(&self) -> String {
        match &self.field {
            Some(field) => format!("{field}:{}", self.value),
            None => self.value.clone(),
        }
    }
}

/// Joins a value with the words after it, if together they are a known value of its field: `state:발급 대기` needs no
/// quotation marks. The longest such value counts.
fn with_whole_values(specs: &[FilterField], words: Vec<Word>, known: &FilterContext) -> Vec<Word> {
    let mut joined: Vec<Word> = Vec::new();
    let mut rest = words.into_iter().collect::<VecDeque<_>>();
    while let Some(mut word) = rest.pop_front() {
        if let Some(at) = word.field.as_ref().and_then(|field| field_named(specs, field)) {
            let (mut text, mut whole) = (word.value.clone(), None);
            for (n, next) in rest.iter().take(MOST_WORDS).enumerate() {
                text.push(' ');
                text.push_str(&next.whole());
                if is_known(specs[at], text.trim(), known) {
                    whole = Some((n + 1, text.trim().to_owned()));
                }
            }
            if let Some((more, text)) = whole {
                rest.drain(..more);
                word.value = text;
            }
        }
        joined.push(word);
    }
    joined
}

/// A value as the line needs it.
fn quoted(value: &str) -> String {
    let escaped: String = value
        .chars()
        .flat_map(|c| (QUOTES.contains(&c) || c == '\\').then_some('\\').into_iter().chain([c]))
        .collect();
    if value.chars().any(char::is_whitespace) { format!("\"{escaped}\"") } else { escaped }
}

/// The field that a typed word names, in any language, by its word, its label or its name in the contract.
fn field_named(specs: &[FilterField], typed: &str) -> Option<usize> {
    let named = |spec: &FilterField| {
        spec.name.eq_ignore_ascii_case(typed)
            || is_word(&format!("{typed}:"), spec.word)
            || is_word(typed, spec.label)
    };
    specs.iter().position(named)
}

/// The fields and their values in a line, as typed.
///
/// # Errors
/// A translated text that names the wrong word.
pub fn parse(
    specs: &[FilterField],
    line: &str,
    known: &FilterContext,
) -> Result<Vec<(usize, String)>, String> {
    let mut fields: Vec<(usize, String)> = Vec::new();
    let mut free: Vec<(usize, String)> = Vec::new();
    for word in with_whole_values(specs, words(line), known) {
        match word.field {
            None => {
                let email = specs.iter().position(|spec| spec.name.ends_with("email"));
                let at = email.filter(|_| word.value.contains('@')).unwrap_or(0);
                match free.iter_mut().find(|(field, _)| *field == at) {
                    Some((_, text)) => {
                        text.push(' ');
                        text.push_str(&word.value);
                    }
                    None => free.push((at, word.value)),
                }
            }
            Some(field) => {
                let typed = scrub(&field).into_owned();
                let Some(at) = field_named(specs, &field) else {
                    let names = specs.iter().map(|spec| tr(spec.word).trim_end_matches(':'));
                    return Err(match nearest(&field, names) {
                        Some(meant) => t!("{typed}: unknown field; did you mean {meant}:?", typed, meant),
                        None => t!(
                            "{typed}: unknown field. Put the text in quotation marks to search for it",
                            typed
                        ),
                    });
                };
                fields.push((at, word.value));
            }
        }
    }
    fields.extend(free);
    for (n, (at, _)) in fields.iter().enumerate() {
        if fields[..n].iter().any(|(before, _)| before == at) {
            let word = tr(specs[*at].word);
            return Err(t!("{word} is there twice; put a value with spaces in quotation marks", word));
        }
    }
    Ok(fields)
}

/// The line for these texts of the fields.
pub fn render<'a>(
    specs: &[FilterField],
    texts: impl Iterator<Item = &'a str>,
    known: &FilterContext,
) -> String {
    let set = specs.iter().zip(texts).filter(|(_, text)| !text.trim().is_empty());
    let words =
        set.map(|(spec, text)| format!("{}{}", tr(spec.word), quoted(&known.shown(*spec, text.trim()))));
    words.collect::<Vec<_>>().join(" ")
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Suggestion {
    pub word: String,
    /// What it means, where the word alone does not say it.
    pub note: String,
}

/// What the word before the cursor can be completed with, and where that word begins.
pub fn suggestions(specs: &[FilterField], before: &str, known: &FilterContext) -> (usize, Vec<Suggestion>) {
    let typed = words(before);
    let last = typed.last().filter(|_| !before.ends_with(char::is_whitespace) || open_quote(before));
    let Some(last) = last else {
        let used: Vec<usize> =
            typed.iter().filter_map(|word| field_named(specs, word.field.as_ref()?)).collect();
        let free = specs.iter().enumerate().filter(|(at, _)| !used.contains(at));
        return (before.len(), free.map(|(_, spec)| of_field(*spec, known)).collect());
    };
    if let Some(found) = goes_on(specs, &typed, known) {
        return found;
    }
    let found = match &last.field {
        None => {
            let word = plain_text(&last.value);
            let begins = |spec: &&FilterField| {
                Language::ALL.iter().any(|language| {
                    plain_text(in_language(*language, spec.word)).starts_with(&word)
                        || plain_text(in_language(*language, spec.label)).starts_with(&word)
                })
            };
            specs.iter().filter(begins).map(|spec| of_field(*spec, known)).collect()
        }
        Some(field) => match field_named(specs, field) {
            Some(at) => {
                let spec = specs[at];
                values_with(spec, &last.value, known).map(|one| as_word(spec, one)).collect()
            }
            None => Vec::new(),
        },
    };
    (last.from, found)
}

/// The suggestions for a value of several words, if there are any, and where its field begins.
fn goes_on(specs: &[FilterField], typed: &[Word], known: &FilterContext) -> Option<(usize, Vec<Suggestion>)> {
    let begin = typed.iter().rposition(|word| word.field.is_some())?;
    let [first, rest @ ..] = &typed[begin..] else { return None };
    let spec = specs[field_named(specs, first.field.as_ref()?).filter(|_| !rest.is_empty())?];
    let text = rest.iter().fold(first.value.clone(), |text, word| text + &word.value);
    let begin = plain_text(&text);
    let found = values_with(spec, &text, known).filter(|one| plain_text(&one.word).starts_with(&begin));
    let found: Vec<Suggestion> = found.map(|one| as_word(spec, one)).collect();
    (!found.is_empty()).then_some((first.from, found))
}

fn as_word(spec: FilterField, one: Suggestion) -> Suggestion {
    Suggestion { word: format!("{}{}", tr(spec.word), quoted(&one.word)), ..one }
}

/// The known values of a field that contain a text, in any language, or whose note does.
pub fn values_with(
    spec: FilterField,
    text: &str,
    known: &FilterContext,
) -> impl Iterator<Item = Suggestion> + use<> {
    let part = plain_text(text);
    let all = values(spec, known).into_iter();
    let translated = translated_with(spec, &part);
    all.filter(move |one| {
        let has_part = |text: &str| plain_text(text).contains(&part);
        has_part(&one.word) || has_part(&one.note) || translated.contains(&one.word)
    })
}

/// lapel's own words for the values of a field that contain a text in any language.
fn translated_with(spec: FilterField, part: &str) -> Vec<String> {
    let words: Vec<&'static str> = match spec.takes {
        FilterFieldKind::State => StateIs::ALL.map(StateIs::word).into(),
        FilterFieldKind::Mail => MailIs::KNOWN.into_iter().filter_map(|mail| mail.word()).collect(),
        _ => Vec::new(),
    };
    let has_part = |word: &str, language: Language| plain_text(in_language(language, word)).contains(part);
    let found =
        words.into_iter().filter(|word| Language::ALL.iter().any(|language| has_part(word, *language)));
    found.map(one_word).collect()
}

fn plain_text(text: &str) -> String {
    plain(text).collect()
}

fn open_quote(text: &str) -> bool {
    text.chars().filter(|c| QUOTES.contains(c)).count() % 2 == 1
}

fn of_field(spec: FilterField, known: &FilterContext) -> Suggestion {
    let (word, label) = (tr(spec.word), tr(spec.label));
    let is_said = plain(word.trim_end_matches(':')).eq(plain(label));
    let note = match example(spec, known) {
        Some(value) if is_said => t!("e.g. {value}", value),
        Some(value) => t!("{label}, e.g. {value}", label, value),
        None if is_said => String::new(),
        None => label.to_owned(),
    };
    Suggestion { word: word.to_owned(), note }
}

/// A value that the field takes, as the line needs it.
fn example(spec: FilterField, known: &FilterContext) -> Option<String> {
    let text = |english: &'static str| Some(tr(english).to_owned());
    match (spec.takes, spec.name) {
        (FilterFieldKind::State, _) => Some(one_word(StateIs::Waiting.word())),
        (FilterFieldKind::Mail, _) => MailIs::Failed.word().map(one_word),
        (FilterFieldKind::Date, _) => known.today.map(|today| today.first_of_month().to_string()),
        (FilterFieldKind::Text, "recipient_name") => text(tr_noop!("Kim|filter")),
        (FilterFieldKind::Text, "recipient_email") => Some("kim@example.com".to_owned()),
        (FilterFieldKind::Text, "title") => text(tr_noop!("Python|filter")),
        _ => values(spec, known).first().map(|value| quoted(&value.word)),
    }
}

/// The values of a field with a known set, each with a note.
fn values(spec: FilterField, known: &FilterContext) -> Vec<Suggestion> {
    let with_note = |word: String, note: &str| Suggestion { word, note: note.to_owned() };
    let plain = |word: &str| with_note(word.to_owned(), "");
    match spec.takes {
        FilterFieldKind::Text => {
            let mut names: Vec<_> = known.choices_of(spec).map(|choice| plain(&choice.value)).collect();
            names.sort();
            names.dedup();
            names
        }
        FilterFieldKind::YesNo => vec![plain("Y"), plain("N")],
        FilterFieldKind::State => StateIs::ALL.map(|state| plain(&one_word(state.word()))).into(),
        FilterFieldKind::Mail => {
            // `SENT` is the service's word for what lapel calls sent.
            let own = known.choices_of(spec).filter(|choice| !is_known_mail(&choice.value));
            let words = MailIs::KNOWN.into_iter().filter_map(|mail| Some(plain(&one_word(mail.word()?))));
            words.chain(own.map(|choice| plain(&choice.value))).collect()
        }
        FilterFieldKind::Category | FilterFieldKind::Template => {
            let of = |(choice, word): (&FilterChoice, &str)| {
                with_note(word.to_owned(), if word == choice.value { &choice.name } else { &choice.value })
            };
            known.words_of(spec).map(of).collect()
        }
        FilterFieldKind::BadgeType => BadgeTypeCode::KNOWN
            .iter()
            .map(|code| {
                let name = known.choices_of(spec).find(|choice| choice.value == code.wire());
                name.map_or_else(
                    || plain(code.wire()),
                    |choice| with_note(choice.name.clone(), &choice.value),
                )
            })
            .collect(),
        FilterFieldKind::Date => known
            .today
            .into_iter()
            .flat_map(date_words)
            .map(|(word, first, last)| {
                with_note(if is_end(spec) { last } else { first }.to_string(), tr(word))
            })
            .collect(),
    }
}

/// A typed value as files keep it. A wrong value stays as typed.
pub fn written(spec: FilterField, typed: &str, known: &FilterContext) -> String {
    match read(spec, typed, known) {
        Ok(FilterValue::Empty) | Err(_) => typed.trim().to_owned(),
        Ok(value) => value.written(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{HistoryItem, Template};
    use crate::tui::widgets::filter::FilterChoice;
    use crate::tui::widgets::filtered_list::ListRecord;
    use proptest::prelude::*;

    const SPECS: &[FilterField] = HistoryItem::FILTERS;

    fn parsed(line: &str) -> Result<Vec<(&'static str, String)>, String> {
        Ok(parse(SPECS, line, &known())?.into_iter().map(|(at, text)| (SPECS[at].name, text)).collect())
    }

    fn known() -> FilterContext {
        let choice =
            |field, value: &str, name: &str| FilterChoice { field, value: value.into(), name: name.into() };
        FilterContext {
            choices: vec![
                choice("category_id", "C01", "디지털 역량"),
                choice("badge_type", "COMPLETE", "수료"),
            ],
            today: Some(jiff::civil::date(2026, 11, 23)),
            ..FilterContext::default()
        }
    }

    #[test]
    fn words_are_fields_or_free() {
        let fields = parsed("title:파이썬 한 state:waiting seo@naru.example 서윤 from:2026-10-01");
        let wanted = [
            ("title", "파이썬"),
            ("state", "waiting"),
            ("issue_start_date", "2026-10-01"),
            ("recipient_name", "한 서윤"),
            ("recipient_email", "seo@naru.example"),
        ];
        assert_eq!(fields, Ok(wanted.map(|(field, text)| (field, text.to_owned())).into()));
        // In Korean, by the label, and by the name in the contract; quotation marks of an input method.
        assert_eq!(parsed("상태:발급대기"), Ok(vec![("state", "발급대기".to_owned())]));
        assert_eq!(
            parsed("recipient_name:\u{201c}한 서윤\u{201d}"),
            Ok(vec![("recipient_name", "한 서윤".to_owned())])
        );
        assert_eq!(parsed("\"ISO:9001\""), Ok(vec![("recipient_name", "ISO:9001".to_owned())]));
    }

    #[test]
    fn the_beginning_of_a_state_or_a_mail_status_is_completed_in_every_language() {
        let of = |name: &str| *SPECS.iter().find(|spec| spec.word == name).expect("a field");
        let states = StateIs::ALL.map(|state| (of("state:"), state.word()));
        let mails = MailIs::KNOWN.into_iter().filter_map(|mail| Some((of("mail:"), mail.word()?)));
        for (spec, word) in states.into_iter().chain(mails) {
            for language in Language::ALL {
                let begin: String = in_language(*language, word).chars().take(2).collect();
                let found: Vec<String> = values_with(spec, &begin, &known()).map(|one| one.word).collect();
                assert!(found.contains(&one_word(word)) && found.len() < 6, "{begin}: {found:?}");
            }
        }
    }

    /// What a list, a heading or a message shows can be typed as it is shown.
    #[test]
    fn a_known_value_of_several_words_needs_no_quotation_marks() {
        let mut known = known();
        let choice = |field, name: &str| FilterChoice { field, value: name.into(), name: name.into() };
        let categories = ["Cloud", "Cloud & DevOps", "ISO 9001: 2015", "Cloud Base", "Cloudbase"];
        known.choices.extend(categories.map(|name| choice("category_name", name)));
        known.choices.push(choice("mail", "발송대기"));
        let read = |line: &str| -> Vec<(&'static str, String)> {
            let fields = parse(SPECS, line, &known).expect("a filter");
            fields.into_iter().map(|(at, text)| (SPECS[at].name, text)).collect()
        };
        let one = |field, value: &str| vec![(field, value.to_owned())];
        assert_eq!(read("상태:회수 중"), one("state", "회수 중"));
        assert_eq!(read("state: 발급  대기"), one("state", "발급 대기"));
        assert_eq!(read("category:cloud & devops"), one("category_name", "cloud & devops"));
        assert_eq!(read("category:Cloud"), one("category_name", "Cloud"));
        assert_eq!(read("category:ISO 9001: 2015"), one("category_name", "ISO 9001: 2015"));
        let with_name = |field, value: &str, name: &str| {
            vec![(field, value.to_owned()), ("recipient_name", name.to_owned())]
        };
        assert_eq!(read("category:Cloud 김"), with_name("category_name", "Cloud", "김"));
        assert_eq!(read("state:waiting 한 서윤"), with_name("state", "waiting", "한 서윤"));
        assert_eq!(read("state:발급 대기 한서윤"), with_name("state", "발급 대기", "한서윤"));
        assert_eq!(read("메일:발송 대기 김"), with_name("mail", "발송 대기", "김"));
        let mail = *SPECS.iter().find(|spec| spec.takes == FilterFieldKind::Mail).expect("a field");
        let word = |typed: &str| super::read(mail, typed, &known);
        assert_eq!(word("발송 대기"), Ok(FilterValue::Mail(MailIs::Word("발송대기".to_owned()))));
        assert_eq!(word("발송"), Ok(FilterValue::Mail(MailIs::Sent)));
        // Both fit without their space, so that only the whole text is one of them.
        let category = *SPECS.iter().find(|spec| spec.name == "category_name").expect("a field");
        assert_eq!(written(category, "Cloud-Base", &known), "Cloud-Base");
        assert_eq!(written(category, "cloudbase", &known), "Cloudbase");
        for state in StateIs::ALL {
            for language in Language::ALL {
                let word = in_language(*language, state.word());
                assert_eq!(read(&format!("state:{word}")), one("state", word));
            }
        }
        let words = |before: &str| {
            let (from, found) = suggestions(SPECS, before, &known);
            (from, found.into_iter().map(|one| one.word).collect::<Vec<_>>())
        };
        // The service's own word has no space, and what is suggested is what is read.
        assert_eq!(words("메일:발송 대").1, [format!("{}발송대기", tr("mail:"))]);
        let whole = "category:\"Cloud & DevOps\"".to_owned();
        assert_eq!(words("title:x category:Cloud & De"), (8, vec![whole]));
        assert_eq!(words("state:waiting fro"), (14, vec!["from:".to_owned()]));
    }

    #[test]
    fn a_wrong_word_is_named() {
        for (line, named) in [
            ("titel:x state:waiting", "titel: unknown field; did you mean title:?"),
            ("http://x", "http: unknown field"),
            ("title:a title:b", "title: is there twice"),
            ("name:a b", "name: is there twice"),
        ] {
            let error = parsed(line).expect_err(named);
            assert!(error.contains(named), "{error}");
        }
    }

    #[test]
    fn a_name_stands_for_what_the_service_wants() {
        let specs = Template::FILTERS;
        let of = |name: &str| *specs.iter().find(|spec| spec.name == name).expect("a field");
        let written = |field, typed| written(of(field), typed, &known());
        assert_eq!(written("category_id", "디지털 역량"), "C01");
        assert_eq!(written("category_id", "c01"), "C01");
        assert_eq!(written("badge_type", "수료"), "COMPLETE");
        assert_eq!(written("reg_str_date", "this week"), "2026-11-23");
        assert_eq!(written("reg_end_date", "this-week"), "2026-11-29");
        assert_eq!(written("reg_end_date", "last month"), "2026-10-31");
        assert!(read(of("category_id"), "없는 이름", &known()).is_err());
        let line = render(specs, ["", "Y", "COMPLETE", "C01", "", "", "", ""].into_iter(), &known());
        assert_eq!(line, "use:Y type:수료 category:\"디지털 역량\"");
    }

    #[test]
    fn the_word_before_the_cursor_is_completed() {
        let words = |before: &str| {
            let (from, found) = suggestions(SPECS, before, &known());
            (from, found.into_iter().map(|one| one.word).collect::<Vec<_>>())
        };
        assert_eq!(words("title:x sta"), (8, vec!["state:".to_owned()]));
        assert_eq!(words("title:x state:wai"), (8, vec!["state:waiting".to_owned()]));
        let (from, fields) = words("title:x ");
        assert!(from == 8 && !fields.contains(&"title:".to_owned()) && fields.contains(&"mail:".to_owned()));
        assert_eq!(words("한서윤").1, Vec::<String>::new());
        assert_eq!(words("title:\"a b").1, Vec::<String>::new());
    }

    proptest! {
        /// The line of a filter gives that filter, for all texts in the form.
        #[test]
        fn a_rendered_line_is_the_same_filter(texts in prop::collection::vec("[ -~가-힣\u{201c}]{0,12}", SPECS.len())) {
            let free = |at: usize| matches!(SPECS[at].takes, FilterFieldKind::Text);
            let texts: Vec<String> = texts
                .iter()
                .enumerate()
                .map(|(at, text)| if free(at) { text.trim().to_owned() } else { String::new() })
                .collect();
            let line = render(SPECS, texts.iter().map(String::as_str), &FilterContext::default());
            let mut read = vec![String::new(); SPECS.len()];
            for (at, text) in parse(SPECS, &line, &FilterContext::default()).expect("a line") {
                read[at] = text;
            }
            prop_assert_eq!(read, texts);
        }

        #[test]
        fn any_line_can_be_typed(line in "\\PC{0,40}", at in 0usize..40) {
            let _ = parse(SPECS, &line, &known());
            let before: String = line.chars().take(at).collect();
            let (from, _) = suggestions(SPECS, &before, &known());
            prop_assert!(before.is_char_boundary(from));
        }
    }

    /// In bytes of memory for each byte of the line.
    #[test]
    fn a_long_line_needs_no_more_for_each_letter_than_a_short_one() {
        let title =
            |n| FilterChoice { field: "title", value: format!("Title {n}"), name: format!("Title {n}") };
        let known = FilterContext { choices: (0..100).map(title).collect(), ..known() };
        let long = format!("state:{} ", "x".repeat(100));
        for word in ["state:x ", "mail:x ", "from:1 ", "title:x ", "x:x ", "x ", &long] {
            let line = word.repeat(1_000);
            let cost = allocation_counter::measure(|| {
                let _ = (parse(SPECS, &line, &known), suggestions(SPECS, line.trim_end(), &known));
            });
            let each = cost.bytes_total / line.len() as u64;
            assert!(each < 500, "{word}: {each}");
        }
    }

    #[test]
    fn four_times_as_many_templates_need_four_times_as_much() {
        let spec =
            *Template::FILTERS.iter().find(|spec| spec.takes == FilterFieldKind::Template).expect("a field");
        let known = |count: u32| {
            // Two of each name, so that the ids tell them apart.
            let template = |n| FilterChoice {
                field: spec.name,
                value: format!("T{n}"),
                name: format!("Title {}", n / 2),
            };
            FilterContext { choices: (0..count).map(template).collect(), ..FilterContext::default() }
        };
        let count = |known: &FilterContext| {
            let cost = allocation_counter::measure(|| {
                let found: Vec<_> = values_with(spec, "title", known).collect();
                assert!(found.len() == known.choices.len() && found[1].word == "T1", "{:?}", found[1]);
            });
            cost.count_total
        };
        let (few, many) = (count(&known(500)), count(&known(2_000)));
        assert!(many < few * 5, "{few} {many}");
    }

    #[test]
    fn no_bytes_of_a_filter_do_harm() {
        let seeds: [&[u8]; 3] = [
            "title:파이썬 state:waiting seo@naru.example 서윤 from:2026-10-01".as_bytes(),
            "상태:발급대기 이름:\u{201c}한 서윤\u{201d} mail:failed".as_bytes(),
            br#"level:2 category:"C01" type:COMP to:lastmonth expired:Y"#,
        ];
        let words: [&[u8]; 6] =
            [b":", b"\"", b"from:9999-99-99", b"state:", "\u{201d}".as_bytes(), b"-9999-12-31"];
        crate::fuzz::fuzz("a filter", &seeds, &words, |bytes| {
            let (line, known) = (String::from_utf8_lossy(bytes), known());
            let fields = parse(SPECS, &line, &known).unwrap_or_default();
            for (at, text) in &fields {
                let _ = (read(SPECS[*at], text, &known), written(SPECS[*at], text, &known));
            }
            let _ = render(SPECS, fields.iter().map(|(_, text)| text.as_str()), &known);
            let _ = suggestions(SPECS, &line, &known);
        });
    }
}
