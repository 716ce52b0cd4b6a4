//! Modals, one file or folder each. A form that issues or revokes shows exactly what it will send and where.
//! The user confirms it with the number of badges and Enter: see `widgets/confirm.rs`.
//!
//! ```text
//! issue, replace, person_form     issue to one person; correct and replace; the fields and the review of both
//! revoke, revoke_ids              revoke badges; those whose ids are in a file
//! file/, draft/, edit_row         a file of recipients, the review of its drafts, one row of them
//! confirm_resend, resolve_rows    sending rows again; rows in doubt
//! job_actions, job_menu           what is possible with a job; its menus
//! undo_job                        revoking all badges of a job
//! export, save_text               lists written to files; the screen and the request log as text
//! file_picker                     chooses a file
//! filters, menu                   saved filters; a small menu
//! palette, help                   every action; every key
//! profiles, profile, key_source   the profiles, the form of one, and its key
//! repin_key, ping, confirm_action questions: another key, a ping, anything else
//! json_view, request_log          a record as JSON; the requests
//! ```

pub(in crate::tui) mod confirm_action;
pub(in crate::tui) mod confirm_resend;
pub(in crate::tui) mod draft;
pub(in crate::tui) mod edit_row;
pub(in crate::tui) mod export;
pub(in crate::tui) mod file;
pub(in crate::tui) mod file_picker;
pub(in crate::tui) mod filters;
pub(in crate::tui) mod help;
pub(in crate::tui) mod issue;
pub(in crate::tui) mod job_actions;
pub(in crate::tui) mod job_menu;
pub(in crate::tui) mod json_view;
pub(in crate::tui) mod key_source;
pub(in crate::tui) mod menu;
pub(in crate::tui) mod palette;
mod person_form;
pub(in crate::tui) mod ping;
pub(in crate::tui) mod profile;
pub(in crate::tui) mod profiles;
pub(in crate::tui) mod repin_key;
pub(in crate::tui) mod replace;
pub(in crate::tui) mod request_log;
pub(in crate::tui) mod resolve_rows;
pub(in crate::tui) mod revoke;
pub(in crate::tui) mod revoke_ids;
pub(in crate::tui) mod save_text;
pub(in crate::tui) mod undo_job;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::needs::tests::job;
    use crate::tui::prelude::*;
    use crate::tui::request::RequestIds;

    /// A form offers no action that does nothing. What was typed stays until the answer: a failure shows it again.
    #[test]
    fn a_form_that_waits_for_the_journal_offers_only_what_it_does() {
        let cx = UiContext::for_test();
        let mut requests = RequestIds::default();
        let effects = &mut Effects::new(&mut requests);
        let job = job(Phase::Running, &[(RowStatus::Issued, 1)]);
        let row = || JobRow::for_test(1, RowStatus::NeverSeen);
        let forms: [Box<dyn Modal>; 3] = [
            Box::new(undo_job::UndoJob::new(job.clone())),
            Box::new(resolve_rows::ResolveRows::one(&job, row())),
            Box::new(edit_row::EditRow::new(job.id, Box::new(row()), effects)),
        ];
        for mut form in forms {
            // The first choice that asks nothing else, if there are choices.
            if form.key_contexts().contains(&KeyContext::Menu) {
                form.on_action(Action::Down, &cx, effects);
                form.on_action(Action::Accept, &cx, effects);
            }
            let of_form = [Action::Accept, Action::ClearForm];
            let of_field = [Action::ClearField, Action::Editor];
            let offers = |form: &dyn Modal, action| form.is_enabled(action, &cx);
            form.on_paste("B-000000001-AB", &cx, effects);
            let name = form.name();
            for action in of_form {
                assert!(offers(&*form, action), "{name} {action:?}");
            }
            form.on_action(Action::Accept, &cx, effects);
            form.on_confirmed(&cx, effects);
            let typed = form.input();
            for action in of_form {
                assert!(!offers(&*form, action), "{name} {action:?}");
            }
            let mut refused = [of_form, of_field].concat();
            refused.retain(|action| !offers(&*form, *action));
            for action in refused {
                form.on_action(action, &cx, effects);
                assert_eq!(form.input(), typed, "{name} {action:?}");
            }
            if !offers(&*form, Action::ClearField) {
                form.on_paste("x", &cx, effects);
                assert!(form.focused_field().is_none(), "{name}");
                assert_eq!(form.input(), typed, "{name}");
            }
        }
    }
}
