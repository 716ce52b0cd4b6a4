//! Tests of a heading without a list.

use super::*;
use crate::config::{GlyphChoice, ThemeChoice};
use crate::tui::effects::Effects;
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Keymap;
use crate::tui::request::RequestIds;
use crate::tui::theme::Glyphs;
use proptest::prelude::*;

const fn def(
    title: &'static str,
    key: &'static str,
    min_width: usize,
    weight: usize,
    right: bool,
) -> ColumnDef {
    let layout = ColumnLayout { min_width, weight, drop_order: 0 };
    ColumnDef { key, title, layout, right, is_time: false, is_state: false }
}

const DEFS: [ColumnDef; 3] =
    [def("Name", "name", 6, 1, false), def("Rows", "rows", 5, 0, true), def("Id", "id", 4, 0, false)];

fn fresh() -> Heading {
    Heading::new(DEFS, 2, "newest first")
}

/// Runs the actions, and sets each order that is chosen.
fn act(heading: &mut Heading, actions: &[Action]) {
    let mut requests = RequestIds::default();
    for action in actions {
        if let HeadingOutcome::Chose(order) = heading.on_action(*action, &mut Effects::new(&mut requests)) {
            heading.set_order(order);
        }
    }
}

fn line(heading: &Heading, room: usize) -> String {
    let cx = UiContext::new(ThemeChoice::None.into(), Glyphs::of(GlyphChoice::Ascii), Keymap::default());
    let line = heading.line(&heading.widths(room), 1, &cx);
    line.spans.iter().map(|span| span.content.as_ref()).collect()
}

#[test]
fn what_is_shown_can_be_sorted_by_and_what_is_sorted_by_stays_on_offer() {
    use Action::{Accept, Back, ChooseColumns, Down, Sort, Toggle, ToggleDirection, Up};
    let mut heading = fresh();
    assert!(heading.is_default());
    act(&mut heading, &[Sort, Up, ToggleDirection, Accept]);
    assert_eq!(heading.sorted_by(), Some(("rows", true)), "the last of the two that are shown");
    assert_eq!(heading.words().as_deref(), Some("by rows"));
    act(&mut heading, &[ChooseColumns, Down, Toggle, Back]);
    assert_eq!(line(&heading, 20), " Name                ");
    // The order stays when its column is hidden, and the menu opens on that column.
    act(&mut heading, &[Sort, ToggleDirection, Accept]);
    assert_eq!(heading.sorted_by(), Some(("rows", false)));
    act(&mut heading, &[Sort, Down, Accept]);
    assert_eq!(heading.order(), None, "after the last one comes the list's own order");
    assert!(!heading.is_default() && heading.over().is_none());
}

#[test]
fn numbers_and_their_heading_stand_at_the_right() {
    let mut heading = fresh();
    assert_eq!(line(&heading, 14), " Name      Rows");
    heading.set_order(heading.order_by("rows", false));
    assert_eq!(line(&heading, 20), " Name           Rows^");
    let cx = UiContext::new(ThemeChoice::None.into(), Glyphs::of(GlyphChoice::Ascii), Keymap::default());
    let cells = ["a", "12", "x"].map(|text| (text.to_owned(), Style::default())).to_vec();
    let spans = heading.cells(cells, &heading.widths(14), &cx);
    let text: String = spans.iter().map(|span| span.content.as_ref()).collect();
    assert_eq!(text, "a           12");
}

#[test]
fn a_heading_says_how_many_columns_have_no_room() {
    let mut defs = DEFS;
    defs[2].layout.drop_order = 1;
    let of = |defs: [ColumnDef; 3]| Heading::new(defs, 3, "newest first");
    assert!(line(&of(defs), 17).ends_with(" Rows Id  "), "all have room: {}", line(&of(defs), 17));
    assert!(line(&of(defs), 16).ends_with(" Rows+"), "no room for the number: {}", line(&of(defs), 16));
    defs.swap(0, 1);
    let mut heading = of(defs);
    let shown = line(&heading, 16);
    assert!(shown.ends_with(" +1") && width(&shown) == 1 + 16 + 1, "the cell behind the last one: {shown}");
    act(&mut heading, &[Action::ChooseColumns, Action::Down, Action::Down, Action::Toggle, Action::Back]);
    assert!(!line(&heading, 16).contains('+'), "the user has hidden it");
}

#[test]
fn a_number_is_never_cut_also_if_it_is_the_only_long_one() {
    let mut heading = fresh();
    let cx = UiContext::new(ThemeChoice::None.into(), Glyphs::of(GlyphChoice::Ascii), Keymap::default());
    let cells =
        |rows: &str| ["a long name", rows, "x"].map(|text| (text.to_owned(), Style::default())).to_vec();
    for _ in 0..200 {
        heading.fit(&cells("12"), &cx);
    }
    heading.fit(&cells("1,234,567"), &cx);
    assert_eq!(heading.width_of(1, &heading.widths(16)), 9);
}

#[test]
fn only_the_state_that_a_row_is_about_is_never_cut() {
    let cx = UiContext::for_test();
    for is_state in [true, false] {
        let mut defs = [def("Name", "name", 6, 1, false), def("State", "status_name", 6, 0, false)];
        defs[1].is_state = is_state;
        let mut heading = Heading::new(defs, 2, "newest first");
        let cells =
            |state: &str| ["a long name", state].map(|text| (text.to_owned(), Style::default())).to_vec();
        for _ in 0..200 {
            heading.fit(&cells("waiting"), &cx);
        }
        heading.fit(&cells("being revoked"), &cx);
        assert_eq!(heading.width_of(1, &heading.widths(20)) == "being revoked".len(), is_state);
    }
}

#[test]
fn a_wide_form_of_a_cell_takes_only_cells_that_no_other_column_needs() {
    let mut heading = fresh();
    let cx = UiContext::new(ThemeChoice::None.into(), Glyphs::of(GlyphChoice::Ascii), Keymap::default());
    let row = ["a long name", "12", "an id"].map(|text| (text.to_owned(), Style::default()));
    heading.fit(&row, &cx);
    let wide = heading.widths(80);
    heading.wish(0, 20);
    assert_eq!(heading.width_of(0, &heading.widths(80)), 20);
    let narrow: usize = wide.iter().sum::<usize>() + wide.len() - 1;
    assert_eq!(heading.widths(narrow), wide, "no other column is narrower");
    heading.forget_content();
    heading.fit(&row, &cx);
    assert_eq!(heading.widths(80), wide);
}

#[test]
fn a_column_that_needs_nothing_is_left_out_until_it_is_sized() {
    let mut heading = fresh();
    let mut own: Vec<ColumnLayout> = DEFS.iter().map(|def| def.layout).collect();
    own[0] = ColumnLayout { min_width: 0, weight: 0, drop_order: 9 };
    heading.set_own(own);
    heading.set_room(20);
    assert_eq!(heading.width_of(0, &heading.widths(20)), 0);
    assert!(heading.is_default(), "nobody has chosen that");
    act(&mut heading, &[Action::ChooseColumns, Action::Wider, Action::Back]);
    assert_eq!(heading.width_of(0, &heading.widths(20)), 7, "one more than its own");
}

#[test]
fn what_a_person_has_changed_is_not_put_back() {
    let kept = ListView {
        sort: Some(SortView { field: "name".to_owned(), descending: false }),
        ..ListView::default()
    };
    let mut heading = fresh();
    act(&mut heading, &[Action::ChooseColumns, Action::Toggle, Action::Back]);
    heading.restore_all(&kept);
    assert_eq!(heading.order(), None);
    let mut heading = fresh();
    heading.restore_all(&kept);
    assert_eq!(heading.sorted_by(), Some(("name", false)));
}

#[test]
fn the_menu_leaves_a_column_of_the_filter_as_it_is() {
    use Action::{Back, ChooseColumns, Down, Toggle, Wider};
    let mut heading = fresh();
    heading.keep(&["id"]);
    heading.set_room(30);
    act(&mut heading, &[ChooseColumns, Down, Down, Toggle, Back]);
    assert!(heading.is_default(), "the filter shows it already");
    let before = heading.width_of(2, &heading.widths(30));
    act(&mut heading, &[ChooseColumns, Down, Down, Wider]);
    assert_eq!(heading.width_of(2, &heading.widths(30)), before + 1);
}

/// Field names; the list has some of them.
fn field() -> impl Strategy<Value = String> {
    prop_oneof![Just("name"), Just("rows"), Just("id"), Just("attic"), Just("\u{1b}[2J")]
        .prop_map(str::to_owned)
}

proptest! {
    #[test]
    fn whatever_was_kept_and_pressed_comes_back_the_same(
        columns in prop::collection::vec((field(), any::<bool>(), prop::option::of(any::<usize>())), 0..6),
        sort in prop::option::of((field(), any::<bool>())),
        pressed in prop::collection::vec(0usize..13, 0..24),
        room in 0usize..90,
    ) {
        let columns = columns.into_iter().map(|(field, shown, width)| ColumnView { field, shown, width });
        let sort = sort.map(|(field, descending)| SortView { field, descending });
        let kept = ListView { columns: columns.collect(), sort, filter: Vec::new() };
        let mut heading = fresh();
        heading.restore_all(&kept);
        heading.set_room(room);
        let actions = [
            Action::Sort, Action::ChooseColumns, Action::Down, Action::Up, Action::Toggle, Action::ColumnLeft,
            Action::ColumnRight, Action::Narrower, Action::Wider, Action::ResetColumns, Action::Accept, Action::Back,
            Action::ToggleDirection,
        ];
        let pressed: Vec<Action> = pressed.into_iter().map(|at| actions[at]).collect();
        act(&mut heading, &pressed);
        let widths = heading.widths(room);
        let there = widths.iter().filter(|wide| **wide > 0).count();
        prop_assert!(widths.iter().sum::<usize>() + there.saturating_sub(1) <= room);
        prop_assert!(there > 0 || room == 0);
        prop_assert!(heading.order().is_none_or(|order| order.column < DEFS.len()));
        let mut again = fresh();
        again.restore_all(&heading.view());
        prop_assert_eq!(again.view(), heading.view());
        prop_assert_eq!(again.widths(room), widths);
    }
}

#[test]
fn spare_cells_go_to_content_that_is_cut() {
    let defs = [def("Name", "name", 6, 1, false), def("Title", "title", 6, 1, false)];
    let mut heading = Heading::new(defs, 2, "newest first");
    let cx = UiContext::for_test();
    // Too few long ones to widen a column where room is short.
    for at in 0..100 {
        let cell = |wide: usize| ("x".repeat(wide), Style::new());
        let name = if at < 4 { 30 } else { 10 };
        let title = if at < 4 { 40 } else { 10 };
        heading.fit(&[cell(name), cell(title)], &cx);
    }
    assert_eq!(heading.widths(21), [10, 10]);
    assert_eq!(heading.widths(52), [30, 20], "the column that needs least is whole first");
    assert_eq!(heading.widths(90), [30, 40]);
    assert_eq!(heading.wanted(200), Some(72), "nothing is cut");
    assert_eq!(heading.wanted(110), Some(38), "what the preview leaves");
}

#[test]
fn many_empty_cells_do_not_cut_the_few_reasons() {
    let defs =
        [def("Name", "name", 6, 1, false), def("Why", "why", 3, 1, false), def("Id", "id", 3, 0, false)];
    let mut heading = Heading::new(defs, 3, "newest first");
    let cx = UiContext::for_test();
    for at in 0..100 {
        let (why, id) = match at {
            0 => ("twice in this file", "ID-0004"),
            1..=30 => ("no e-mail", "ID-0004"),
            _ => ("", cx.glyphs.dash),
        };
        heading.fit(&["x".repeat(20), why.to_owned(), id.to_owned()].map(|text| (text, Style::new())), &cx);
    }
    let whole = [20, "twice in this file".len(), "ID-0004".len()];
    assert_eq!(heading.wanted(110), Some(48), "the preview has enough with the rest");
    assert_eq!(heading.widths(47), whole);
    // Where there is no room for all, the longest of many reasons does not take it from the names.
    for _ in 0..30 {
        heading.fit(
            &["x".repeat(20), "no e-mail".to_owned(), String::new()].map(|text| (text, Style::new())),
            &cx,
        );
    }
    assert_eq!(heading.widths(38)[0], 20);
}
