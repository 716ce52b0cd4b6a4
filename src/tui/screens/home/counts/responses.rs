//! Handling of the index's responses in the counts.

use super::{BadgeCounts, ReissuePlan};
use crate::index::{IndexConfig, Renewal};
use crate::jobs::PlannedRecipient;
use crate::tui::prelude::*;
use crate::tui::worker::index::{MOST_DETAILS, left_out};

impl BadgeCounts {
    pub(super) fn take_response(
        &mut self,
        reply: Reply,
        cx: &UiContext,
        effects: &mut Effects<'_>,
    ) -> Handled {
        let Reply { id, response } = reply;
        let is_running = self.running.as_ref().is_some_and(|running| running.request == id);
        match response {
            Response::Sums(sums) if self.counting == Some(id) => {
                self.counting = None;
                match sums {
                    Ok(all) => self.all = Some(all),
                    Err(why) => self.error = Some(why),
                }
                self.select(self.cursor().at());
            }
            Response::Synced(synced) if is_running => {
                self.running = None;
                self.error = synced.err();
                self.changed();
                let index = cx.session().and_then(|session| session.index.as_ref());
                let minutes = index.map_or_else(
                    || IndexConfig::default().refresh_minutes,
                    |index| index.settings.refresh_minutes,
                );
                self.due = Some(Instant::now() + Duration::from_secs(u64::from(minutes) * 60));
            }
            Response::Details(read) if is_running => {
                self.running = None;
                self.changed();
                match read {
                    Ok(read) => {
                        let records = count!(read.read, "record", "records");
                        let key = cx.key(&self.key_contexts(), Action::FindCert);
                        effects.say(if read.gone > 0 {
                            t!(
                                "Read {records}; {gone} no longer found. {key} finds them by certificate number.",
                                records,
                                gone = number(read.gone),
                                key
                            )
                        } else {
                            t!("Read {records}. {key} finds them by certificate number.", records, key)
                        });
                    }
                    Err(why) => effects.warn(why),
                }
            }
            Response::IndexExport(found) if self.export.as_ref().is_some_and(|(asked, _)| *asked == id) => {
                let title = self.export.take().map(|(_, title)| title).unwrap_or_default();
                match found {
                    Ok(found) => {
                        effects.export(ExportSource::of_index(&title, found, cx));
                    }
                    Err(why) => effects.warn(why),
                }
            }
            response if self.asked == Some(id) => {
                self.asked = None;
                self.on_sums(response, cx, effects);
            }
            response => {
                return match &mut self.badge_list {
                    Some(badge_list) => badge_list.on_response(Reply { id, response }, cx, effects),
                    None => Err(Reply { id, response }),
                };
            }
        }
        Ok(())
    }

    fn changed(&mut self) {
        self.stale = true;
        if let Some(badge_list) = &mut self.badge_list {
            badge_list.stale = true;
        }
    }

    fn on_sums(&mut self, response: Response, cx: &UiContext, effects: &mut Effects<'_>) {
        match response {
            Response::WithoutDetails(Ok(ids)) if ids.is_empty() => {
                effects.say(t!("lapel has already read the record of every badge in this list."));
            }
            Response::WithoutDetails(Ok(ids)) => {
                let n = ids.len() as u64;
                let records = count!(n, "record", "records");
                let requests = count!(n, "request", "requests");
                let key = cx.key(&self.key_contexts(), Action::Details);
                effects.say(if ids.len() >= MOST_DETAILS {
                    t!(
                        "Only the badge records hold certificate numbers. Press {key} again to read the first {records} of the list in the background ({requests}).",
                        records,
                        requests,
                        key
                    )
                } else {
                    t!(
                        "Only the badge records hold certificate numbers. Press {key} again to read {records} in the background ({requests}).",
                        records,
                        requests,
                        key
                    )
                });
                self.offered = Some(ids);
            }
            Response::Renewals(Ok(found)) => {
                let said = left_out(&found);
                let people = |renewal: Renewal| {
                    let of = |(name, email)| PlannedRecipient { name, email };
                    let all: Vec<PlannedRecipient> = renewal.people.into_iter().map(of).collect();
                    ((renewal.template_id, renewal.title), all)
                };
                let plans: Vec<ReissuePlan> = found.of.into_iter().map(people).collect();
                match said {
                    said if plans.is_empty() => {
                        let why = said.unwrap_or_default();
                        effects.warn(t!(
                            "None of these badges can be issued again. {why} Nothing was planned.",
                            why
                        ));
                    }
                    // This message comes before the review, because the review has no room for it.
                    Some(said) => {
                        effects.say(t!(
                            "{said} Press {key} again to plan the others. Nothing is sent before the review.",
                            said,
                            key = cx.key(&self.key_contexts(), Action::Renew)
                        ));
                        self.planned = Some(plans);
                    }
                    None => {
                        effects.command(JobCommand::Plan(plans));
                    }
                }
            }
            Response::IndexOn(Err(why))
            | Response::WithoutDetails(Err(why))
            | Response::Renewals(Err(why)) => effects.warn(why),
            _ => {}
        }
    }
}
