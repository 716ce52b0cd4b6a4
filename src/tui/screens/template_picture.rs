//! The picture of a template in a preview. Rows of badges and of jobs have none of their own, so lapel reads each template
//! once for it: after the cursor has rested, and only where the terminal shows pictures.

use crate::domain::TemplateId;
use crate::tui::context::Env;
use crate::tui::effects::Effects;
use crate::tui::platform::images::Want;
use crate::tui::request::{Request, RequestId, Response};
use crate::tui::widgets::frame::Frame;
use crate::tui::widgets::preview::REST;
use ratatui::layout::Rect;

/// The template whose picture a preview wants, with the running wait or request.
#[derive(Default)]
pub(super) struct TemplatePicture {
    wanted: Option<(TemplateId, Option<RequestId>)>,
}

/// The picture of a template, if its address is known and there is a place for it.
pub(super) fn want(template: Option<&TemplateId>, place: Option<Rect>, env: &Env) -> Option<Want> {
    let raw = env.pictures.of_template(template?)?.clone();
    Some(Want { raw, area: place? })
}

pub(super) fn draw(want: Option<Want>, frame: &mut Frame<'_>, env: &Env) {
    if let Some(want) = want.filter(|_| env.pictures.is_on()) {
        env.pictures.draw(frame, &want, env.theme.dim());
    }
}

impl TemplatePicture {
    /// Follows the selected row. Asks for its template when the cursor has rested.
    pub fn follow(&mut self, template: Option<&TemplateId>, env: &Env, out: &mut Effects<'_>) {
        let template = template.filter(|id| env.pictures.is_on() && env.pictures.of_template(id).is_none());
        if self.wanted.as_ref().map(|(id, _)| id) == template {
            return;
        }
        out.cancel(self.wanted.take().and_then(|(_, request)| request));
        if let Some(id) = template {
            self.wanted = Some((id.clone(), Some(out.ask(Request::Pause(REST)))));
        }
    }

    pub fn on_response(
        &mut self,
        request: RequestId,
        answer: Response,
        out: &mut Effects<'_>,
    ) -> Result<(), Response> {
        let Some((id, running)) = self.wanted.take_if(|(_, running)| *running == Some(request)) else {
            return Err(answer);
        };
        let next = match answer {
            Response::Paused => Some(out.ask(Request::Template(id.clone()))),
            // The shell has noted the address. After an error, it is asked for again when the cursor comes back from a
            // row of another template.
            Response::Template(_) => None,
            other => {
                self.wanted = Some((id, running));
                return Err(other);
            }
        };
        self.wanted = Some((id, next));
        Ok(())
    }
}

#[cfg(all(test, feature = "images"))]
#[allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test says what went wrong")]
mod tests {
    use super::*;
    use crate::api::ApiError;
    use crate::config::{PictureChoice, Pictures};
    use crate::tui::platform::images::Store;
    use crate::tui::request::RequestIds;
    use crate::tui::worker::WorkerCommand;

    struct Bench {
        env: Env,
        ids: RequestIds,
        picture: TemplatePicture,
    }

    impl Bench {
        fn new(choice: PictureChoice) -> Self {
            let pictures = Store::new(&Pictures { choice, ..Pictures::none() });
            let env = Env { pictures, ..Env::for_test() };
            Self { env, ids: RequestIds::default(), picture: TemplatePicture::default() }
        }

        fn follow(&mut self, id: &str) -> Vec<WorkerCommand> {
            let id = TemplateId::new(id).expect("an id");
            let mut out = Effects::new(&mut self.ids);
            self.picture.follow(Some(&id), &self.env, &mut out);
            out.orders
        }

        fn answer(&mut self, request: RequestId, answer: Response) -> Vec<WorkerCommand> {
            let mut out = Effects::new(&mut self.ids);
            assert!(self.picture.on_response(request, answer, &mut out).is_ok());
            out.orders
        }
    }

    fn pause(orders: &[WorkerCommand]) -> RequestId {
        match orders.last() {
            Some(WorkerCommand::Request(id, Request::Pause(REST))) => *id,
            _ => panic!("no pause"),
        }
    }

    #[test]
    fn a_template_is_read_once_and_after_the_cursor_has_rested() {
        let mut bench = Bench::new(PictureChoice::Halfblocks);
        let first = pause(&bench.follow("TPL-1"));
        assert!(bench.follow("TPL-1").is_empty(), "it waits already");
        // The cursor moves on before the pause is over.
        let orders = bench.follow("TPL-2");
        assert!(matches!(orders[0], WorkerCommand::Cancel(id) if id == first));
        let orders = bench.answer(pause(&orders), Response::Paused);
        let [WorkerCommand::Request(request, Request::Template(id))] = orders.as_slice() else {
            panic!("no request for a template");
        };
        assert_eq!(id.wire(), "TPL-2");
        let failed = Response::Template(Box::new(Err(ApiError::Cancelled)));
        assert!(bench.answer(*request, failed).is_empty());
        assert!(bench.follow("TPL-2").is_empty(), "after an error it is not asked for again at once");
        pause(&bench.follow("TPL-1"));
    }

    #[test]
    fn without_pictures_nothing_is_read() {
        assert!(Bench::new(PictureChoice::None).follow("TPL-1").is_empty());
    }
}
