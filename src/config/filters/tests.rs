use super::*;
use proptest::prelude::*;

fn check(field: &str, value: &str) -> Result<(), String> {
    let fits = !field.ends_with("_date") || value.parse::<jiff::civil::Date>().is_ok();
    if fits { Ok(()) } else { Err(format!("{value} is not a day")) }
}

fn lists() -> Vec<KnownList> {
    vec![
        KnownList {
            list: "history",
            fields: vec!["recipient_name", "title", "issue_start_date"],
            columns: vec!["issued_at"],
            check,
        },
        KnownList { list: "templates", fields: vec!["title", "use_yn"], columns: vec!["title"], check },
    ]
}

fn file() -> FiltersFile {
    FiltersFile::new("filters.toml".into(), lists())
}

fn named(name: &str, fields: &[(&str, &str)]) -> NamedFilter {
    NamedFilter {
        list: "history".into(),
        name: name.into(),
        fields: fields.iter().map(|(field, value)| ((*field).into(), (*value).into())).collect(),
        sort: None,
    }
}

fn save(filter: NamedFilter, replace: bool) -> FilterChange {
    FilterChange::Save { filter, replace }
}

#[test]
fn filters_are_read_as_people_write_them() {
    let text = "[history.'파이썬 2026']\ntitle = '파이썬'\nissue_start_date = 2026-01-01\nsort = 'issued_at:desc'\n\
                [templates]\nours = { use_yn = true, title = \"AI\" }\n";
    let read = file().parse(text).expect("filters");
    assert_eq!(read[0].name, "파이썬 2026");
    assert_eq!(read[0].sort, Some(("issued_at".into(), true)));
    assert_eq!(read[0].fields[1], ("issue_start_date".into(), "2026-01-01".into()));
    assert_eq!(read[1].fields, [("title".into(), "AI".into()), ("use_yn".into(), "Y".into())]);
}

#[test]
fn every_mistake_has_its_line() {
    for (text, line, said) in [
        ("[histori.a]\ntitle = 'x'\n", 1, "did you mean history?"),
        ("\n[history.a]\ntitl = 'x'\n", 3, "did you mean title?"),
        ("[history.a]\ntitle = 3\n", 2, "text in quotes"),
        ("[history.a]\ntitle = ' '\n", 2, "with 1 to 500 characters"),
        ("[history.a]\ntitle = 'x'\nsort = 'email'\n", 3, "issued_at"),
        ("[history.a]\ntitle = 'x'\nsort = 'issued_at:down'\n", 3, ":desc"),
        ("[history.a]\ntitle = 'x'\nissue_start_date = 'soon'\n", 3, "soon is not a day"),
        ("[history.a]\n", 1, "sets no field"),
        ("history = 'a'\n", 1, "tables such as"),
        ("[history.\" a\"]\ntitle = 'x'\n", 1, "no space at either end"),
        ("[history.\"a\\u001b\"]\ntitle = 'x'\n", 1, "no control characters"),
        ("[history.a]\ntitle = 'x\n", 2, "invalid TOML"),
    ] {
        let wrong = file().parse(text).expect_err(text);
        let first = &wrong.mistakes()[0];
        assert_eq!(first.line, Some(line), "{text}: {wrong}");
        assert!(first.what.contains(said), "{text}: {wrong}");
    }
    let many: Vec<String> = (0..=MOST).map(|n| format!("[history.f{n}]\ntitle = 'x'\n")).collect();
    assert!(file().parse(&many.concat()).expect_err("too many").to_string().contains("more than 100"));
}

#[test]
fn a_change_keeps_what_people_wrote() {
    let text = "# ours\n[history.a] # the first\ntitle = 'x'\n\n# for Kim\n[history.b]\ntitle = 'y'\n";
    let (after, filters) = {
        let before = file().parse(text).expect("filters");
        let change = save(named("a", &[("recipient_name", "kim")]), true);
        file().applied(text, &before, &change).expect("changed")
    };
    assert!(after.starts_with("# ours\n[history.a] # the first\nrecipient_name = \"kim\"\n"), "{after}");
    assert!(after.contains("# for Kim\n[history.b]\ntitle = 'y'"), "{after}");
    assert_eq!(filters.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    // Every notation is either changed correctly or refused.
    for text in
        ["history = { a = { title = 'x' } }\n", "history.a.title = 'x'\n", "[history]\na = { title = 'x' }\n"]
    {
        let before = file().parse(text).expect("filters");
        for change in [
            save(named("a", &[("title", "y")]), true),
            save(named("b", &[("title", "y")]), false),
            FilterChange::Rename { list: "history".into(), from: "a".into(), to: "c".into() },
            FilterChange::Remove { list: "history".into(), name: "a".into() },
        ] {
            match file().applied(text, &before, &change) {
                Ok((after, now)) => assert_eq!(file().parse(&after).expect("read again"), now, "{after}"),
                Err(why) => assert!(why.to_string().contains("lapel cannot edit"), "{text}{change:?}: {why}"),
            }
        }
    }
}

#[test]
fn the_file_is_made_changed_and_left_alone_where_it_is_damaged() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("config/filters.toml");
    let file = FiltersFile::new(path.clone(), lists());
    assert_eq!(file.read(), (Vec::new(), Vec::new()));
    let made = file.change(&save(named("expiring 2026", &[("title", "a \"b\"")]), false)).expect("saved");
    assert_eq!((made, Vec::new()), file.read());
    let text = std::fs::read_to_string(&path).expect("the file");
    assert!(text.starts_with("# Filters that lapel keeps"), "{text}");
    #[cfg(unix)]
    assert_eq!(crate::fs::mode_of(&std::fs::metadata(&path).expect("there")), 0o600);
    let twice = file.change(&save(named("expiring 2026", &[("title", "c")]), false)).expect_err("taken");
    assert!(twice.to_string().contains("already"), "{twice}");
    let rename = |from: &str, to: &str| FilterChange::Rename {
        list: "history".into(),
        from: from.into(),
        to: to.into(),
    };
    let renamed = file.change(&rename("expiring 2026", "만료 예정")).expect("renamed");
    assert_eq!(renamed[0].name, "만료 예정");
    assert!(file.change(&rename("expiring 2026", "x")).is_err(), "it is called something else now");
    let remove = FilterChange::Remove { list: "history".into(), name: "만료 예정".into() };
    assert_eq!(file.change(&remove).expect("removed"), []);
    std::fs::write(&path, "[history.a\n").expect("damaged");
    let wrong = file.change(&save(named("b", &[("title", "x")]), false)).expect_err("damaged");
    assert_eq!(wrong.mistakes()[0].line, Some(1));
    assert_eq!(std::fs::read_to_string(&path).expect("the file"), "[history.a\n");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn anything_can_be_read(text in "\\PC{0,200}|(\\[|\\]|history|templates|\\.|title|=|'x'|\n|\\{|\\}){0,30}") {
        let _ = file().parse(&text);
    }

    #[test]
    fn what_is_saved_is_read_again(
        names in proptest::collection::vec("[^\\p{C}\\s](\\PC{0,20}[^\\p{C}\\s])?", 1..6),
        value in "[^\\s\\p{C}]\\PC{0,40}",
    ) {
        let (mut text, mut filters) = (String::new(), Vec::new());
        for name in &names {
            let change = save(named(name, &[("title", &value)]), true);
            let (after, now) = file().applied(&text, &filters, &change).expect("saved");
            prop_assert!(now.iter().any(|f| f.name == *name && f.fields[0].1 == value));
            (text, filters) = (after, now);
        }
        for name in names {
            let remove = FilterChange::Remove { list: "history".into(), name };
            // A name that occurs twice among the names is in the file once.
            if let Ok((after, now)) = file().applied(&text, &filters, &remove) {
                (text, filters) = (after, now);
            }
        }
        prop_assert!(filters.is_empty());
    }
}

/// Without one of its fields a filter would match more, and so would a selection by it.
#[test]
fn a_filter_with_a_mistake_is_left_out_and_the_others_are_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = FiltersFile { path: folder.path().join("filters.toml"), ..file() };
    let text = "[history.good]\nrecipient_name = 'kim'\n[history.bad]\nrecipient_name = 'kim'\nstatus = issued\n\
                [history.odd]\nrecipient_name = 'kim'\nnobody = 'x'\n[history.last]\nrecipient_name = 'lee'\n";
    std::fs::write(&file.path, text).expect("written");
    let (filters, mistakes) = file.read();
    assert_eq!(filters.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["good", "last"]);
    assert_eq!(mistakes.iter().map(|m| m.line).collect::<Vec<_>>(), [Some(5), Some(8)], "{mistakes:?}");
    // A file with a mistake is never changed.
    let change = FilterChange::Remove { list: "history".into(), name: "good".into() };
    assert!(file.change(&change).is_err());
    assert_eq!(std::fs::read_to_string(&file.path).expect("there"), text);
}

#[test]
fn no_bytes_of_the_settings_do_harm() {
    let settings = b"profile = 'uni'\npictures = 'none'\n[profiles.uni]\nbase_url = 'https://a.example/x'\n\
        environment = 'live'\nkey_command = ['pass', 'x']\n[profiles.uni.journal]\nurl = 'postgres://a@b/c'\n";
    let keys = b"quit = 'x'\n[history]\nmark = ['m', 'ctrl-alt-f12']\n";
    let theme = b"base = 'dark'\naccent = '#12ab00'\nwarn = 'bold'\n";
    let filters = b"[history.\"x\"]\ntitle = 'a'\nissue_start_date = 2026-01-01\nsort = 'issued_at:desc'\n";
    let words: [&[u8]; 6] = [b"[profiles.", b"\"\"\"", b"= {", b"2026-99-99", b"\xef\xbb\xbf", b"[["];
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("theme.toml");
    crate::fuzz::fuzz("settings", &[settings, keys, theme, filters], &words, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let _ = crate::config::file::ConfigFile::parse(Path::new("config.toml"), &text);
        let _ = crate::config::keymap::KeymapFile::parse(Path::new("keys.toml"), &text);
        let _ = file().parse(&text);
        std::fs::write(&path, bytes).expect("written");
        let _ = crate::config::theme::ThemeFile::read(&path);
    });
}

/// The time grows with the mistakes, not with their square: `LAPEL_TEST_FUZZ_SECONDS` measures it.
#[test]
fn thousands_of_mistakes_have_their_lines() {
    const MANY: usize = 4_000;
    let times = |head: &str, line: &dyn Fn(usize) -> String| {
        head.to_owned() + &(0..MANY).map(line).collect::<String>()
    };
    let last = |mistakes: &[Mistake]| mistakes.last().and_then(|mistake| mistake.line);
    let config = |text: &str| {
        let read = crate::config::file::ConfigFile::parse(Path::new("config.toml"), text);
        read.map_err(|error| error.mistakes().to_vec()).expect_err("mistakes")
    };
    let field = |n: usize| format!("field-{n} = 1\n");
    let profile = |n: usize| format!("[profiles.p{n}]\nfield = 1\n");
    for (text, count, line) in [
        (times("", &field), MANY, MANY),
        (times("[jobs]\n", &field), MANY, MANY + 1),
        (times("[profiles.uni]\n", &field), MANY + 1, MANY + 1),
        (times("", &profile), 2 * MANY, 2 * MANY),
        (times("", &field) + &times("", &profile), 3 * MANY, 3 * MANY),
    ] {
        let mistakes = config(&text);
        assert_eq!((mistakes.len(), last(&mistakes)), (count, Some(line)), "{}", &text[..40]);
    }
    // What is no TOML at all is given up after a few places, wherever they are.
    for text in [times("", &|_| "no\n".into()), times("a = '''\n", &field), times("", &|_| "a = [\n".into())]
    {
        let mistakes = config(&text);
        assert!(mistakes.len() <= 21, "{}", mistakes.len());
    }
    // In a large file, after fewer: each place costs some readings of the file.
    let mistakes = config(&times("", &|_| format!("[profiles.u]\n#{}\n", " ".repeat(200))));
    assert!(mistakes.len() < 5, "{}", mistakes.len());
    let keys = crate::config::keymap::KeymapFile::parse(
        Path::new("keys.toml"),
        &times("[history]\n", &|n| format!("action-{n} = 'x'\n")),
    );
    assert_eq!(keys.lines.len(), MANY);
    let error = file().parse(&times("[history.mine]\n", &field)).expect_err("mistakes");
    assert_eq!((error.mistakes().len(), last(error.mistakes())), (MANY, Some(MANY + 1)));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("theme.toml");
    std::fs::write(&path, times("[colours]\n", &field)).expect("written");
    let (_, mistakes) = crate::config::theme::ThemeFile::read(&path);
    assert_eq!((mistakes.len(), last(&mistakes)), (MANY, Some(MANY + 1)));
}
