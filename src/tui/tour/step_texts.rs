//! Texts of the tour: one task per step, with the key for it on the current screen.

use super::{HOLDER, Tour, TourPlace, TourState, TourStep};
use crate::tui::prelude::*;

pub fn title(step: TourStep) -> &'static str {
    match step {
        TourStep::Find => t!("find a holder"),
        TourStep::Issue => t!("issue a badge"),
        TourStep::Watch => t!("watch it being issued"),
        TourStep::Revoke => t!("revoke it"),
        TourStep::Receipt => t!("save the receipt"),
        TourStep::End => t!("all steps done"),
    }
}

pub struct TourContext<'a> {
    pub stack: &'a [KeyContext],
    pub cx: &'a UiContext,
}

impl TourContext<'_> {
    /// Key of an action. The action must be possible here.
    fn name(&self, action: Action) -> String {
        self.cx.key(self.stack, action)
    }

    /// The sentence with the key of an action. If the key does not work here, it says how to go back.
    fn by(&self, action: Action, sentence: impl FnOnce(String) -> String) -> String {
        if self.cx.keymap.has(self.stack, action) {
            sentence(self.name(action))
        } else {
            t!("First go back with {key}.", key = self.name(Action::Back))
        }
    }
}

pub fn next(tour: &Tour, seen: &TourState<'_>, here: &TourContext<'_>) -> String {
    match tour.step {
        TourStep::Find => find(seen, here),
        TourStep::Issue => issue(seen, here),
        TourStep::Watch => watch(tour, seen, here),
        TourStep::Revoke => revoke(seen, here),
        TourStep::Receipt => receipt(tour, seen, here),
        TourStep::End => t!(
            "{help} shows the keys of a screen, {palette} finds every action. Add your own service: lapel profile add. {leave} closes this.",
            help = here.name(Action::Help),
            palette = here.name(Action::Palette),
            leave = here.name(Action::TourLeave),
        ),
    }
}

fn find(seen: &TourState<'_>, here: &TourContext<'_>) -> String {
    match seen.place {
        TourPlace::WalletBox => t!(
            "A caller asks about her badge. Type {address} and press {key}.",
            address = HOLDER,
            key = here.name(Action::Accept),
        ),
        TourPlace::Wallet => {
            here.by(Action::LookUp, |key| t!("{key} opens the box for an e-mail address.", key))
        }
        _ => here.by(Action::WalletTab, |key| {
            t!("A caller asks about her badge. {key} opens the Wallet tab, where you look up holders.", key)
        }),
    }
}

fn issue(seen: &TourState<'_>, here: &TourContext<'_>) -> String {
    match seen.place {
        TourPlace::Templates => here.by(Action::Issue, |key| {
            t!("Badges are issued from a template. {key} issues the selected one. The sandbox sends no mail.", key)
        }),
        TourPlace::IssueForm => t!(
            "Enter any name and e-mail address, such as {address}. {key} goes to the next field, then opens the review.",
            address = "gildong@naru.example",
            key = here.name(Action::Accept),
        ),
        TourPlace::IssueReview => t!(
            "The review shows what is sent, and where. Nothing has been sent yet. Type 1, the number of badges, and press {key}.",
            key = here.name(Action::Accept),
        ),
        TourPlace::Wallet => here.by(Action::Templates, |key| {
            t!("Each badge shows its state first. Tell the caller that state. Next, issue a badge: {key} opens Templates.", key)
        }),
        _ => here.by(Action::Templates, |key| t!("{key} opens Templates, where you issue badges.", key)),
    }
}

fn watch(tour: &Tour, seen: &TourState<'_>, here: &TourContext<'_>) -> String {
    let Some(job) = tour.issued(seen) else {
        return t!(
            "No badge was issued on this tour, so there is none to watch. {key} continues.",
            key = here.name(Action::TourSkip),
        );
    };
    if job.counts.sum(RowStatus::is_open) == 0 && !job.is_sending() {
        return t!(
            "The service has not issued it. Its row says why. {key} continues.",
            key = here.name(Action::TourSkip),
        );
    }
    match seen.place {
        TourPlace::Activity | TourPlace::JobRows => here.by(Action::Check, |key| {
            t!("Accepted is not issued: that takes 5 minutes or more, here seconds. lapel checks by itself; {key} checks now.", key)
        }),
        _ => here.by(Action::Activity, |key| {
            t!("Accepted is not issued yet. {key} opens Activity, which lists every job.", key)
        }),
    }
}

fn revoke(seen: &TourState<'_>, here: &TourContext<'_>) -> String {
    match seen.place {
        TourPlace::Activity => {
            here.by(Action::Open, |key| t!("Suppose it was a mistake. {key} opens the rows of the job.", key))
        }
        TourPlace::JobRows => here.by(Action::Open, |key| t!("{key} opens the badge of this row.", key)),
        TourPlace::Badge | TourPlace::Wallet | TourPlace::History => here.by(Action::Revoke, |key| {
            t!("{key} revokes the badge shown or selected. lapel asks for a reason first.", key)
        }),
        TourPlace::RevokeForm => t!(
            "A reason is required, and the holder may see it. Type one and press {key}.",
            key = here.name(Action::Accept),
        ),
        TourPlace::RevokeReview => t!(
            "This cannot be undone. Type 1 and press {key}. A LIVE profile also asks for the organisation's short name.",
            key = here.name(Action::Accept),
        ),
        _ => {
            here.by(Action::Activity, |key| t!("{key} opens Activity, where you find the issued badge.", key))
        }
    }
}

fn receipt(tour: &Tour, seen: &TourState<'_>, here: &TourContext<'_>) -> String {
    match seen.place {
        TourPlace::Activity | TourPlace::JobRows => here.by(Action::Export, |key| {
            match tour.revoked(seen) {
                Some(job) if job.counts.of(RowStatus::Revoked) > 0 => {
                    t!("The badge is revoked, and no row is missing. {key} saves the receipt: the outcome of every row.", key)
                }
                _ => t!("Every job stays here, with no row missing. {key} saves its receipt: the outcome of every row.", key),
            }
        }),
        TourPlace::Files => t!("{key} is the receipt: the outcome of every row.", key = here.name(Action::Receipt)),
        TourPlace::JobFile => t!(
            "{key} saves it in this folder as an Excel table; a name ending in .csv makes it CSV.",
            key = here.name(Action::Accept),
        ),
        _ => here.by(Action::Activity, |key| t!("{key} opens Activity, where every job has its receipt.", key)),
    }
}
