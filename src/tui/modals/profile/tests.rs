use super::*;

const URL: &str = "https://badge-service-2026.example/api/v1/ext";

fn form() -> ProfileForm {
    let settings = ProfileSettings { base_url: URL.to_owned(), ..ProfileSettings::default() };
    let (name, key_from) = ("uni".to_owned(), "the keyring".to_owned());
    ProfileForm::of(ProfileLine { name, settings, key_from, is_default: false })
}

fn typed(form: &mut ProfileForm, setting: &str, text: &str) -> String {
    form.focus.at = index_of(setting, &form.lines);
    form.on_action(Action::ClearField);
    form.on_paste(text);
    form.texts()[form.focus.at].clone()
}

fn base_url(form: &ProfileForm) -> String {
    form.settings(|setting, _| setting == "base_url").get("base_url").unwrap_or_default().to_owned()
}

/// The long name of a host is like a key.
#[test]
fn what_is_not_kept_removes_no_setting() {
    let mut form = form();
    typed(&mut form, "organisation", "Naru");
    let kept = form.texts();
    form.set_input(&kept);
    assert_eq!(base_url(&form), URL);
    assert_eq!(typed(&mut form, "base_url", "https://kim:hunter3@naru.example"), URL);
    form.set_input(&[]);
    assert_eq!(base_url(&form), URL);
}

#[test]
fn an_address_of_a_journal_is_kept_only_without_a_password() {
    let mut form = form();
    let good = "postgres://kim@db.example/badges?port=6432";
    assert_eq!(typed(&mut form, "journal.url", good), good);
    for url in [
        "postgres://kim:hunter3@db.example/badges",
        "postgres://kim:hun",
        "postgres://kim@db.example/badges?password=hunter3",
        "postgres://kim@db.example/badges?pass%77ord=hunter3",
        "postgres://kim@db.example?password=hunter3",
    ] {
        assert_eq!(typed(&mut form, "journal.url", url), "", "{url}");
    }
}

/// A half typed password looks like a port.
#[test]
fn a_proxy_that_may_have_a_password_is_not_kept() {
    let mut form = form();
    let good = "http://proxy.naru.example";
    assert_eq!(typed(&mut form, "proxy", good), good);
    for proxy in ["http://kim:hun", "http://kim:1234", "kim:hunter3", "http://kim:hunter3@proxy.example:3128"]
    {
        assert_eq!(typed(&mut form, "proxy", proxy), "", "{proxy}");
    }
}

#[test]
fn the_zone_of_a_new_profile_is_asked_once_before_it_is_checked() {
    let mut form = ProfileForm::new("uni");
    typed(&mut form, "base_url", URL);
    let key = form.lines.len() - 1;
    form.focus.at = key;
    form.on_paste("dmu_live_0123456789");
    let ProfileStep::Wrong(question) = form.on_action(Action::Accept) else { panic!("the zone") };
    assert!(question.contains(&example_offset()), "{question}");
    assert_eq!(form.focus.at, index_of("utc_offset", &form.lines));
    // It may be unknown.
    assert!(matches!(form.on_action(Action::Accept), ProfileStep::Try(_)));
    assert_eq!(form.focus.at, key, "which is the likeliest to be wrong");
    form.focus.at = index_of("utc_offset", &form.lines);
    form.on_paste("+05:30");
    let ProfileStep::Try(candidate) = form.on_action(Action::Accept) else { panic!("a profile") };
    assert_eq!(candidate.profile.input.get("utc_offset"), Some("+05:30"));
    form.focus.at = 0;
    assert!(matches!(form.on_action(Action::Accept), ProfileStep::Done), "Enter goes on elsewhere");
}

#[test]
fn a_wrong_time_zone_is_named_by_its_label_and_gets_the_cursor() {
    let mut form = ProfileForm::new("uni");
    let zone = form.lines.iter().position(|line| line.setting == Some("utc_offset")).expect("a line");
    for (typed, is_wrong) in [("Asia/Seoul", true), ("9", true), ("+09:00", false), ("", false)] {
        for start in [zone, form.lines.len() - 1] {
            form.lines[zone].control = LineControl::Text(TextField::with(typed));
            form.focus.at = start;
            let is_named = match form.on_action(Action::Accept) {
                ProfileStep::Wrong(why) => why.starts_with(i18n::tr("Time zone")),
                _ => false,
            };
            assert_eq!((is_named, form.focus.at == zone), (is_wrong, is_wrong), "{typed}");
        }
    }
}
