use super::*;
use crate::costs::costs;

fn palette() -> CommandPalette {
    let command = |action: Action, why: Option<&str>| PaletteCommand {
        action,
        keys: String::new(),
        why_not: why.map(str::to_owned),
    };
    CommandPalette::new(
        vec![
            command(Action::Revoke, Some("a key of History")),
            command(Action::Sort, None),
            command(Action::Reload, None),
            command(Action::Filter, None),
        ],
        Vec::new(),
        vec!["Seoyun.Han@naru.example".to_owned(), "임하늘".to_owned()],
        true,
    )
}

fn found(palette: &mut CommandPalette, typed: &str) -> Vec<String> {
    palette.field.set(typed);
    palette.find();
    palette.shown.iter().map(PaletteEntry::what).collect()
}

#[test]
fn costs_of_matching() {
    let loaded = (0..1_000).map(|n| {
        let email = Text::from(format!("hana{n}@naru.example").as_str());
        PaletteEntry::Holder(email, Some(Text::from("김하나")))
    });
    let mut palette = palette().with_loaded(loaded);
    assert!(found(&mut palette, "hana99").len() > 1);
    palette.field.set("hana999");
    costs("match 1,000 entries of the palette", || palette.find());
}

#[test]
fn what_the_text_may_mean_comes_after_beginnings_of_words_and_before_letters_inside_them() {
    let mut palette = palette();
    assert_eq!(found(&mut palette, "").len(), 4);
    assert_eq!(found(&mut palette, "REVOKE")[0], Action::Revoke.help());
    assert_eq!(found(&mut palette, "marked rev")[0], Action::Revoke.help());
    // Of two equal matches, the possible one comes first.
    assert_eq!(found(&mut palette, "re")[0], Action::Reload.help());
    let destinations =
        ["show templates with srt in the title", "look up holders named srt", "open badge srt"];
    let scattered = found(&mut palette, "srt");
    assert_eq!(scattered[..3], destinations);
    assert_eq!(scattered[3], Action::Sort.help());
    assert!(palette.is_selected, "a look-up");
    assert_eq!(found(&mut palette, "zzzz").len(), 3);
    assert_eq!(found(&mut palette, "seoy")[0], "look up what Seoyun.Han@naru.example holds");
    let named = "look up holders named 임하늘";
    assert_eq!(found(&mut palette, "임하늘").iter().filter(|text| *text == named).count(), 1);
}

#[test]
fn beginnings_of_words_come_before_letters_inside_a_word() {
    let all = Action::ALL.iter().map(|action| PaletteCommand {
        action: *action,
        keys: String::new(),
        why_not: None,
    });
    let mut palette = CommandPalette::new(all.collect(), Vec::new(), Vec::new(), true);
    let place = |found: &[String], action: Action| {
        found.iter().position(|text| text == action.help()).expect("the action is found")
    };
    for (typed, better, worse) in [
        ("rev", Action::Revoke, Action::PreviewDown),
        ("rev", Action::Ids, Action::PreviewDown),
        ("list", Action::SaveList, Action::Filter),
    ] {
        let found = found(&mut palette, typed);
        assert!(place(&found, better) < place(&found, worse), "{typed}: {found:#?}");
    }
}

#[test]
fn of_word_starts_an_impossible_one_is_not_selected_while_another_is_possible() {
    let only = |possible: &[Action]| {
        let all = Action::ALL.iter().map(|action| PaletteCommand {
            action: *action,
            keys: String::new(),
            why_not: (!possible.contains(action)).then(|| "only elsewhere".to_owned()),
        });
        CommandPalette::new(all.collect(), Vec::new(), Vec::new(), true)
    };
    // Its explanation has the word, the name of "other record" has it as well.
    let mut palette = only(&[Action::Raw]);
    let texts = found(&mut palette, "record");
    assert_eq!(texts[0], Action::Raw.help(), "{texts:#?}");
    assert_eq!(palette.selected(), Some(Action::Raw));
    // A name of a person, of which only letters are in the names of actions.
    for name in ["rosa", "reg", "han"] {
        let mut palette = only(Action::ALL);
        let texts = found(&mut palette, name);
        let at = texts.iter().position(|text| text.contains(&format!("named {name}"))).expect("a look-up");
        for text in &texts[..at] {
            let starts = Action::ALL
                .iter()
                .filter(|action| action.help() == text)
                .any(|action| word_starts(&format!("{} {} {text}", action.hint(), action.short()), name));
            assert!(starts || text.contains("in the title"), "{name}: {text} comes first: {texts:#?}");
        }
    }
}

#[test]
fn a_destructive_action_is_never_selected_by_typing() {
    let cx = UiContext::for_test();
    assert!([Action::Revoke, Action::DiscardDraft].into_iter().all(Action::is_destructive));
    for action in Action::ALL.iter().filter(|action| action.is_destructive()) {
        let command = PaletteCommand { action: *action, keys: String::new(), why_not: None };
        let mut palette = CommandPalette::new(vec![command], Vec::new(), Vec::new(), true);
        for typed in ["", action.hint(), action.help()] {
            found(&mut palette, typed);
            let mut ids = crate::tui::request::RequestIds::default();
            let mut effects = Effects::new(&mut ids);
            assert_eq!(palette.selected(), None, "{action:?} {typed}");
            palette.on_action(Action::Accept, &cx, &mut effects);
            assert!(effects.go.is_empty() && effects.notice.is_some(), "{action:?} {typed}");
            let area = Rect::new(0, 0, 78, 18);
            let mut buffer = ratatui::buffer::Buffer::empty(area);
            palette.draw(&mut Frame::new(&mut buffer), area, &cx);
            let text: String = buffer.content.iter().map(ratatui::buffer::Cell::symbol).collect();
            assert!(text.contains("↓ selects it"), "{text}");
            palette.on_action(Action::Down, &cx, &mut effects);
            assert_eq!(palette.selected(), Some(*action), "the user selects it: {typed}");
        }
    }
}

#[test]
fn an_address_an_id_and_a_title_lead_somewhere() {
    let mut palette = palette();
    assert_eq!(found(&mut palette, " a@b.example ")[0], "look up what a@b.example holds");
    for nothing in ["@@", "010-1234-5678", "(02) 123-4567", "01012345678"] {
        assert_eq!(found(&mut palette, nothing), [""; 0], "{nothing}");
    }
    let title = found(&mut palette, "데이터 시각화");
    let ways = ["show templates with 데이터 시각화 in the title", "look up holders named 데이터 시각화"];
    assert_eq!(title, ways, "an id has no spaces");
    // As long as no template was read, a title is found by the service only.
    assert_eq!(found(&mut palette, "cloud")[0], "show templates with cloud in the title");
    assert_eq!(found(&mut palette, "TPL-004")[1], "show template TPL-004");
    let template = |id: &str, title: &str| {
        PaletteEntry::Template(TemplateId::new(id).expect("an id"), Some(Text::from(title)))
    };
    let loaded = [
        template("TPL-004", "Cloud Associate"),
        template("TPL-005", "클라우드"),
        PaletteEntry::Holder(Text::from("seoyun.han@naru.example"), Some(Text::from("한서윤"))),
        PaletteEntry::Badge(BadgeId::new("B-000004301-PS").expect("an id"), true),
    ];
    palette = palette.with_loaded(loaded.into_iter());
    assert_eq!(found(&mut palette, "cloud")[0], "template: Cloud Associate");
    assert_eq!(found(&mut palette, "rosa")[0], "look up holders named rosa");
    let holder = "holder: 한서윤  seoyun.han@naru.example";
    for typed in ["한서", "seoy", "Seoyun.Han@naru.example"] {
        let found = found(&mut palette, typed);
        assert_eq!(found[0], holder, "{typed}");
        let same = |text: &&String| text.to_lowercase().contains("seoyun.han");
        assert_eq!(found.iter().filter(same).count(), 1, "once: {found:?}");
    }
    assert_eq!(found(&mut palette, "TPL-004")[0], "template: Cloud Associate");
    assert_eq!(found(&mut palette, "B-000004301")[0], "badge: B-000004301-PS");
    assert_eq!(found(&mut palette, "B-1")[0], "open badge B-1", "a whole id that no list shows");
    let job = |id, title: &str| PaletteEntry::Job(JobId(id), title.to_owned());
    let work = [job(12, "Cloud Associate"), job(1, "가을  list.csv")];
    palette = palette.with_loaded(work.into_iter());
    for typed in ["#1", "job 1", "list.csv"] {
        assert_eq!(found(&mut palette, typed)[0], "job 1: 가을  list.csv", "{typed}");
    }
    assert_eq!(found(&mut palette, "#7"), [""; 0], "no badge, and no template");
    let template = (TemplateId::new("TPL-004").expect("an id"), Text::from("Cloud Associate"));
    let file = PaletteEntry::File { path: "/lists/spring.xlsx".into(), template, by_column: false };
    palette = palette.with_loaded([file].into_iter());
    assert_eq!(found(&mut palette, "spring")[0], "file: spring.xlsx  Cloud Associate");
    let mut ids = crate::tui::request::RequestIds::default();
    let mut effects = Effects::new(&mut ids);
    palette.choose(&UiContext::for_test(), &mut effects);
    assert!(matches!(effects.go[..], [Navigate::CloseAll, Navigate::Open(_)]), "{:?}", effects.go);
    // The palette must not leave a form with input.
    palette.leaves = false;
    assert_eq!(found(&mut palette, "a@b.example").len(), 1);
    assert!(palette.why_not(&palette.shown[0]).is_some());
}

#[test]
fn the_reason_of_what_is_selected_is_whole_at_every_size() {
    use crate::tui::input::keymap::KeyContext;
    use ratatui::buffer::Buffer;
    let cx = UiContext::for_test();
    let long = "the list is still being read, and what it holds is not known before the service has answered";
    let reasons = [KeyContext::Global, KeyContext::OverviewList, KeyContext::DraftRevoke]
        .map(|context| format!("only in {}", context.place()));
    let reasons: Vec<String> = reasons.into_iter().chain([long.to_owned()]).collect();
    let all = Action::ALL.iter().zip(reasons.iter().cycle()).map(|(action, why)| PaletteCommand {
        action: *action,
        keys: "x".to_owned(),
        why_not: Some(why.clone()).filter(|_| *action != Action::Sort),
    });
    let mut palette = CommandPalette::new(all.collect(), Vec::new(), Vec::new(), true);
    // The palette's size on an 80x24 and on a 60x16 terminal.
    for (columns, rows) in [(78, 18), (58, 10)] {
        let area = Rect::new(0, 0, columns, rows);
        for at in 0..palette.shown.len() {
            palette.cursor.select(at);
            palette.is_selected = true;
            let mut buffer = Buffer::empty(area);
            palette.draw(&mut Frame::new(&mut buffer), area, &cx);
            let line = |y: u16| (0..columns).map(|x| buffer[(x, y)].symbol()).collect::<String>();
            let screen: Vec<String> = (0..rows).map(line).collect();
            let words = screen.join(" ").replace('│', " ");
            let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
            match palette.why_not(&palette.shown[at]) {
                Some(why) => assert!(words.contains(&format!("not now: {why}")), "{screen:#?}"),
                None => assert!(!words.contains("not now:"), "{screen:#?}"),
            }
            // One cursor at the prompt, one at the selected entry.
            let cursors = screen.iter().filter(|line| line.contains(cx.glyphs.cursor)).count();
            assert_eq!(cursors, 2, "{screen:#?}");
        }
    }
}

#[test]
fn what_is_not_possible_says_so_also_where_its_explanation_has_no_room() {
    use ratatui::buffer::Buffer;
    let cx = UiContext::for_test();
    let mut palette = palette();
    palette.cursor.select(1);
    palette.is_selected = true;
    for (columns, rows) in [(118, 18), (58, 10)] {
        let area = Rect::new(0, 0, columns, rows);
        let mut buffer = Buffer::empty(area);
        palette.draw(&mut Frame::new(&mut buffer), area, &cx);
        let line = |y: u16| (0..columns).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        let screen: Vec<String> = (0..rows).map(line).collect();
        let is_said = |line: &String| {
            ["a key of History", "not now"]
                .iter()
                .any(|why| line.contains(&format!("{} {why}", cx.glyphs.dash)))
        };
        assert_eq!(screen.iter().filter(|line| is_said(line)).count(), 1, "{screen:#?}");
    }
}
