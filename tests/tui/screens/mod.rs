//! Every screen as a picture in text, at 80x24, 120x36 and 160x50, in dark, light and without colours. Each is also
//! looked at for what a picture does not show: whether it can be read.

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

use crate::common::shot::in_every_theme as take;
use crate::common::{self, Harness, frozen};
use lapel::config::Environment;
use lapel::sandbox::{RowSpec, RowState, Rows, Sandbox};
