use super::*;
use proptest::prelude::*;

fn request(n: u64) -> RequestId {
    RequestId::test(n)
}

#[test]
fn the_newest_comes_first_once_and_no_more_than_fifty_are_kept() {
    let mut recents = Recents::of(None, "demo", true);
    for n in 0..60 {
        recents.note(InputKind::LookUp, &format!("p{n}@naru.example"));
    }
    recents.note(InputKind::LookUp, " p30@naru.example ");
    let list = recents.list(InputKind::LookUp);
    assert_eq!(
        (list.len(), list[0].as_str(), list[1].as_str()),
        (MOST, "p30@naru.example", "p59@naru.example")
    );
    assert!(recents.list(InputKind::Badge).is_empty());
    assert_eq!(recents.forget(), 50);
    assert!(recents.list(InputKind::LookUp).is_empty());
}

/// Pins the file format: its names must not change.
#[test]
fn a_file_of_today_is_read_and_written() {
    let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/pins/samples/recent.json"));
    let lists: Lists = serde_json::from_str(text).expect("a file of today");
    for (typed, list) in [
        (InputKind::LookUp, ["gildong@naru.example"]),
        (InputKind::Badge, ["B-000004301-PS"]),
        (InputKind::IdsFile, ["revoke-ids.csv"]),
        (InputKind::Export, ["history.xlsx"]),
    ] {
        assert_eq!(lists.of(typed), &list);
    }
    assert_eq!(serde_json::to_string(&lists).expect("JSON"), text.trim_end());
}

#[test]
fn a_key_in_the_wrong_box_is_not_kept() {
    crate::secrets::register_key("Zq3xK9");
    let mut recents = Recents::of(None, "demo", true);
    for text in
        ["dmu_live_0123456789abcdefghij", "Zq3xK9", "xZq3xK9x", "", " ", "a\u{1b}[2J", &"x".repeat(301)]
    {
        recents.note(InputKind::LookUp, text);
    }
    assert!(recents.list(InputKind::LookUp).is_empty(), "{recents:?}");
    for text in ["hong_gildong_the_first@naru.example", "B-000004301-PS", "한서윤"] {
        recents.note(InputKind::LookUp, text);
    }
    assert_eq!(recents.list(InputKind::LookUp).len(), 3);
}

#[test]
fn what_is_typed_while_the_file_is_written_is_written_next() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut recents = Recents::of(Some(folder.path()), "uni", true);
    let mut asked = Vec::new();
    let mut take = |ask: RecentsRequest| {
        asked.push(ask);
        request(asked.len() as u64)
    };
    recents.first(&mut take);
    recents.note(InputKind::LookUp, "a@naru.example");
    recents.hand_out(&mut take);
    assert_eq!(recents.on_response(request(9), Err("nobody has asked that".to_owned())), None);
    assert_eq!(recents.on_response(request(1), Ok(Lists::default())), None);
    assert_eq!(recents.list(InputKind::LookUp), ["a@naru.example"], "typed before the file was read");
    recents.hand_out(&mut take);
    assert_eq!(asked.len(), 2, "one at a time");
    let lists = run(&asked[1]).expect("written");
    assert_eq!(lists.of(InputKind::LookUp), &["a@naru.example"]);
}

#[test]
fn the_file_is_private_shared_by_two_and_goes_when_nothing_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("recent/uni.json");
    let ask = |changes: Vec<InputChange>| RecentsRequest { path: path.clone(), changes, keep_days: None };
    assert_eq!(run(&ask(Vec::new())), Ok(Lists::default()));
    assert!(!path.exists(), "reading makes no file");
    run(&ask(vec![InputChange::Typed(InputKind::LookUp, "a@x.example".into())])).expect("written");
    let both = run(&ask(vec![InputChange::Typed(InputKind::Badge, "B-1".into())])).expect("written");
    assert_eq!((both.look_ups.len(), both.badges.len()), (1, 1));
    #[cfg(unix)]
    for (path, mode) in [(path.as_path(), 0o600), (path.parent().expect("a folder"), 0o700)] {
        assert_eq!(fs::mode_of(&std::fs::metadata(path).expect("there")), mode);
    }
    let mut off = Recents::of(Some(folder.path()), "uni", false);
    off.note(InputKind::LookUp, "b@x.example");
    off.first(|ask| {
        run(&ask).expect("removed");
        request(1)
    });
    assert!(!path.exists() && off.list(InputKind::LookUp).is_empty());
    std::fs::create_dir_all(&path).expect("a folder in its place");
    let why = run(&ask(vec![InputChange::Forget])).expect_err("a folder is no file");
    assert!(why.contains("uni.json"), "{why}");
}

#[test]
fn templates_that_were_read_have_their_own_file_which_is_forgotten_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, templates) = (
        crate::config::recent_file(folder.path(), "uni"),
        crate::config::templates_file(folder.path(), "uni"),
    );
    let ask = |changes: Vec<InputChange>| RecentsRequest { path: path.clone(), changes, keep_days: None };
    let read = vec![jobs::RecentEntry { id: "TPL-001".into(), title: "a title".into() }];
    run(&ask(vec![InputChange::Templates(read.clone())])).expect("written");
    assert!(!path.exists(), "nothing was typed");
    assert_eq!(jobs::known_templates(&templates), read);
    run(&ask(vec![InputChange::Forget])).expect("removed");
    assert!(!templates.exists());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_file_of_anything_is_read(text in any::<String>(), texts in proptest::collection::vec(any::<String>(), 0..80)) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.json");
        let ask = RecentsRequest { path: path.clone(), changes: Vec::new(), keep_days: None };
        std::fs::write(&path, text).expect("written");
        let _ = run(&ask);
        let hostile = serde_json::json!({ "look_ups": texts, "version": 3 });
        std::fs::write(&path, hostile.to_string()).expect("written");
        let lists = run(&ask).expect("read");
        prop_assert!(lists.look_ups.len() <= MOST && lists.look_ups.iter().all(|text| is_fit(text)));
    }
}

#[test]
fn no_bytes_of_the_kept_files_do_harm() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, layout) = (folder.path().join("uni.json"), folder.path().join("layout.json"));
    let recent =
        include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/pins/samples/recent.json"));
    let view = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/pins/samples/view.json"));
    let unfinished = br#"{"look_ups":["a"],"unfinished":[{"form":"issue","subject":"1 2","texts":["x"],"at":1760000000}]}"#;
    let templates = br#"[["TPL-1","\ud55c"],["TPL-2","two"]]"#;
    let words: [&[u8]; 6] =
        [b"-9223372036854775808", b"9223372036854775807", b"null", b"[[[[", b"\"at\":", b"\\ud800"];
    crate::fuzz::fuzz("kept files", &[recent, unfinished, view, templates], &words, |bytes| {
        for file in [&path, &path.with_extension(TEMPLATES), &layout] {
            std::fs::write(file, bytes).expect("written");
        }
        let changes = vec![InputChange::Typed(InputKind::Badge, "B-1".into())];
        let _ = run(&RecentsRequest { path: path.clone(), changes, keep_days: Some(30) });
        let _ = std::str::from_utf8(bytes).map(crate::tui::persist::saved_layout::SavedLayout::from_json);
    });
}

#[test]
fn input_of_a_time_that_cannot_be_is_old() {
    let input = r#"{"unfinished":[{"form":"issue","subject":"1","texts":["x"],"at":-9223372036854775808}]}"#;
    let lists: Lists = serde_json::from_str(input).expect("a file");
    assert!(lists.unfinished[0].is_older(30));
}
