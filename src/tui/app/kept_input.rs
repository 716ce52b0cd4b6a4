//! Data kept for the next start: saved filters and recent lookups.

use super::{App, LoopCommand, Tab};
use crate::config::and_more;
use crate::tui::persist::input_history::{Recents, RecentsRequest};
use crate::tui::persist::saved_filters::{FiltersRead, SavedFilterList};
use crate::tui::platform::host::AppOptions;
use crate::tui::prelude::*;
use crate::tui::widgets::filtered_list::filters_file::filters_file;
use crate::tui::worker::WorkerCommand;

/// The name of the file with the input of the first screen. No profile can have it.
const NO_PROFILE: &str = "new profile";

impl App {
    pub fn set_options(&mut self, options: AppOptions) {
        self.refresh.choose(options.settings.refresh, Instant::now());
        self.cx.saved = SavedFilterList::of(options.filters.clone().map(filters_file));
        self.output.options = options;
        if let Some(ask) = self.cx.saved.ask(None) {
            let request = self.requests.next();
            let ask = Request::Filters(Box::new(ask));
            self.connection.pending.insert(request, &ask, RequestOwner::Shell);
            self.commands.push(WorkerCommand::Request(request, ask));
        }
    }

    pub(super) fn read_recents(&mut self, effects: &mut Effects<'_>) {
        let keeps = self.output.options.settings.recent;
        self.cx.connection.recents = match self.cx.session() {
            Some(session) => {
                let recents = Recents::of(session.data_dir.as_deref(), &session.name, keeps);
                recents.for_days(session.jobs.keep_days)
            }
            None => Recents::of(self.app_paths.data_dir.as_deref(), NO_PROFILE, keeps),
        };
        self.cx.connection.recents.first(|ask| effects.request(Request::Recents(Box::new(ask))));
    }

    /// Returns false if a text of a form that has closed is not kept, since it may be a secret.
    pub(super) fn watch_input(&mut self) -> bool {
        let open: Vec<FormInput> = self.modals.iter().filter_map(|modal| modal.input()).collect();
        self.cx.connection.recents.watch(&open)
    }

    /// The input that the file may not have yet.
    pub fn unsaved_input(&self) -> Option<RecentsRequest> {
        self.cx.connection.recents.rest()
    }

    pub(super) fn keep_typed(&mut self, effects: &mut Effects<'_>) {
        if !self.watch_input() {
            effects.tell(
                t!("lapel did not keep a text that may be an API key or a password.").to_owned(),
                false,
            );
        }
        self.cx.connection.recents.pause(self.loop_command == Some(LoopCommand::Quit));
        if self.cx.session().is_some() {
            for (typed, text) in std::mem::take(&mut effects.typed) {
                self.cx.connection.recents.note(typed, &text);
            }
        }
        self.cx.connection.recents.hand_out(|ask| effects.request(Request::Recents(Box::new(ask))));
    }

    pub(super) fn forget_recents(&mut self, effects: &mut Effects<'_>) {
        for (tab, _) in Tab::ALL {
            self.screens.of_mut(*tab).forget_recents();
        }
        let forgotten = self.cx.connection.recents.forget();
        effects.say(match forgotten {
            0 => t!("There is no recent input to forget.").to_owned(),
            n => plural!(
                n,
                "Forgot {n} recent input of this profile.",
                "Forgot {n} recent inputs of this profile."
            ),
        });
    }

    /// The form that asked for the saved filters receives them too. Nothing is redrawn if no form shows them.
    pub(super) fn kept(&mut self, reply: Reply, owner: RequestOwner) -> Handled {
        let Reply { id, response } = reply;
        match response {
            Response::Recents(lists) => {
                self.changed |= self.screen().shows_recents();
                if let Some(why) = self.cx.connection.recents.on_response(id, lists) {
                    self.changed |= self.toasts.add_error(why);
                }
                Ok(())
            }
            Response::Filters(filters, asked) => {
                if filters.is_ok() || asked.change.is_none() {
                    // The file was read again. Its mistakes may be other ones, or gone.
                    if let Some(why) = &self.cx.saved.error {
                        self.toasts.withdraw(&unusable(why));
                        self.changed = true;
                    }
                    self.cx.saved.take(&filters);
                }
                if self.modals.iter().any(|modal| owner == RequestOwner::Modal(modal.id)) {
                    return Err(Reply { id, response: Response::Filters(filters, asked) });
                }
                if let Ok(FiltersRead { left_out: Some(why), .. }) | Err(why) = filters {
                    self.changed |= self.toasts.add_error(unusable(&why));
                }
                Ok(())
            }
            response => Err(Reply { id, response }),
        }
    }
}

fn unusable(why: &str) -> String {
    let mut mistakes = why.lines();
    let why = and_more(mistakes.next().unwrap_or_default(), mistakes.count());
    t!("Some saved filters cannot be used. {why}.", why)
}
