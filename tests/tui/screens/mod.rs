//! Every screen as a picture in text, at 80x24, 120x36 and 160x50, in dark, light and without colours; the most important
//! ones also at 200x50. Each is also looked at for what a picture does not show: whether it can be read.

mod calls;
mod everyday;
mod home;
mod jobs;
mod live;
mod overview;
mod popups;
mod profiles;
mod rebound;
mod saved_and_read_only;
mod tour;

use crate::common::{self, Harness, frozen, shot};
use lapel::config::Environment;
use lapel::sandbox::{RowSpec, RowState, Rows, Sandbox};

/// The screens that are kept at 200x50, too. Of the others, lapel is only asked whether they can be read there.
const WIDE: [&str; 8] = [
    "home-calm",
    "home-busy",
    "history",
    "history-marked",
    "wallet",
    "draft",
    "draft-review",
    "activity-quota",
];

fn take(h: &mut Harness, name: &str) {
    if h.size().0 < 200 || WIDE.contains(&name) {
        shot::in_every_theme(h, name);
    } else {
        shot::readable_in_every_theme(h, name);
    }
}
