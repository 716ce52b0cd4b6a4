//! Copying, saving and raw JSON for the Activity tab.

use super::{Activity, job_fields};
use crate::tui::input::action::ActionKind;
use crate::tui::persist::saved_layout::SavedLayout;
use crate::tui::prelude::*;
use crate::tui::request::JobReply;
use crate::tui::widgets::copying::{self, Copyables, records};
use crate::tui::widgets::job_rows;
use crate::tui::widgets::record_field::pick;

impl Activity {
    /// What a file of the list would have, in words. `None` if the list is empty.
    pub(super) fn listed(&self) -> Option<String> {
        let jobs = self.jobs.iter().filter(|job| self.is_listed(job)).count() as u64;
        let marked = self.marked().count() as u64;
        match &self.rows {
            Some(_) if marked > 0 => Some(plural!(marked, "{n} marked row", "{n} marked rows")),
            Some(rows) if rows.list.is_empty() => None,
            Some(rows) => Some(count!(rows.list.len(), "row", "rows")),
            None => (jobs > 0).then(|| count!(jobs, "job", "jobs")),
        }
    }

    pub(super) fn save_jobs(&self, cx: &UiContext, effects: &mut Effects<'_>) {
        let Some(mut head) = self.listed() else {
            effects.say(t!("There are no jobs here to export."));
            return;
        };
        let only = self.only.map(|only| tr(only.words()).to_owned());
        for words in only.into_iter().chain(self.heading.words()) {
            head.push_str(&format!(" {} {words}", cx.glyphs.dot));
        }
        let clock = cx.clock();
        let listed = self.in_order().filter(|job| self.is_listed(job));
        let rows = listed.map(|job| job_fields::saved(job, &clock)).collect();
        let source = ExportSource::of_rows("jobs", head, None, job_fields::saved_names(), rows);
        effects.export(source);
    }
}

impl Screen for Activity {
    fn begin() -> Self {
        let (heading, rows_heading) = (job_fields::heading(), job_rows::row_fields::heading(false));
        Self { heading, rows_heading, fresh: true, ..Self::default() }
    }

    fn layout_changes(&self) -> u64 {
        self.heading.changes() + self.rows_heading.changes()
    }

    fn save_layout(&self, view: &mut SavedLayout) {
        (view.jobs, view.rows) = (self.heading.view(), self.rows_heading.view());
    }

    fn restore_layout(&mut self, view: &SavedLayout, _: &mut Effects<'_>) {
        self.heading.restore_all(&view.jobs);
        self.rows_heading.restore_all(&view.rows);
        self.unsorted = true;
    }

    fn can_go_back(&self) -> bool {
        self.rows.is_some()
            || self.search.text().is_some()
            || self.open_parts().is_some()
            || self.only.is_some()
    }

    fn has_pane(&self) -> bool {
        self.rows.is_some()
    }

    fn rows_built(&self) -> u64 {
        self.rows.as_ref().map_or(self.built.get(), |rows| rows.list.rows_built())
    }

    fn picture(&self, area: Rect, cx: &UiContext) -> Option<PictureRequest> {
        self.text_and_picture(area, self.pane_lines(area, cx).len(), cx).1
    }

    fn on_journal(&mut self, event: JournalEvent<'_>, _: &UiContext, effects: &mut Effects<'_>) {
        match event {
            JournalEvent::Opened { .. } => self.clear(),
            // There is nothing to read. Home takes the reason from here.
            JournalEvent::Failed(why) => {
                self.clear();
                (self.read, self.fresh) = (Some(Err(why.to_owned())), true);
                return;
            }
            JournalEvent::Back if matches!(self.read, Some(Err(_))) => {}
            JournalEvent::Back => return,
        }
        self.request = Some(effects.request(Request::Jobs));
    }

    fn on_touched(&mut self, job: &Job, touched: &[Touched], _: &UiContext, _: &mut Effects<'_>) {
        if job.kind == Kind::Revoke {
            let revoked = touched.iter().filter(|badge| badge.is_revoked());
            let revoked: HashSet<&BadgeId> = revoked.map(|badge| &badge.badge_id).collect();
            for (_, marks) in self.all_marks() {
                let is_of = |row: &&JobRow| row.badge_id.as_ref().is_some_and(|id| revoked.contains(id));
                let rows_of: Vec<u64> = marks.values().filter(is_of).map(|row| row.no).collect();
                marks.processed(rows_of);
            }
        }
    }

    fn learn(&mut self, response: &Response) {
        // A person's decision about these rows was carried out.
        if let Response::Done(Ok(JobReply::Processed(job, rows, _))) = response
            && let Some((_, marks)) = self.all_marks().find(|(of, _)| of == job)
        {
            marks.processed(rows.clone());
        }
    }

    fn counts_needs(&self) -> bool {
        true
    }

    fn shows_jobs(&self) -> bool {
        true
    }

    fn why_not(&self, action: Action) -> Option<&'static str> {
        // One without an owner belongs to nobody.
        let is_owners = action.is(ActionKind::OfJob) && action.is(ActionKind::Acts);
        let is_others = self.job().is_some_and(|job| job.owner.is_some() && !job.may_act());
        (is_owners && is_others).then(|| t!("this job belongs to another lapel"))
    }

    fn copyables(&self, cx: &UiContext) -> Copyables {
        let mut all = Copyables::default();
        let Some(rows) = &self.rows else {
            let Some(job) = self.job() else { return all };
            all.one('i', t!("job number"), Some(&job.id.to_string()));
            let fields = pick(&job_fields::FIELDS, &job_fields::COPIED);
            all.records(
                &fields,
                Some(job),
                self.in_order().filter(|job| self.is_listed(job)),
                |n| plural!(n, "{n} row of the job list", "{n} rows of the job list"),
                |_| job_fields::CellRoom::default(),
                cx,
            );
            return all;
        };
        let selected = rows.list.selected();
        if let Some(row) = selected {
            all.one('i', t!("badge id"), row.badge_id.as_ref().map(crate::domain::BadgeId::wire));
            all.one('a', t!("e-mail address"), Some(row.address.wire()));
        }
        let fields = pick(&job_rows::row_fields::fields(), &job_rows::row_fields::COPIED);
        let loaded = rows.list.loaded().map(|(_, row)| row);
        let job = self.find(rows.job());
        let words = |row: &JobRow| job_rows::row_fields::words(row, job);
        all.records(&fields, selected, loaded, copying::loaded, words, cx);
        all
    }

    fn records(&self) -> Vec<RawOf> {
        let row = self.rows.as_ref().and_then(|rows| rows.list.selected());
        let badge = row.and_then(|row| Some((row.badge_id.as_ref()?, &row.address)));
        badge.map_or_else(Vec::new, |(id, address)| records(id, Some(address)))
    }

    fn on_drag(&mut self, drag: Drag, area: Rect, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        let area = self.row_panes(area).list;
        self.rows.as_mut().is_some_and(|rows| rows.on_drag(drag, area, cx, effects))
    }
}
