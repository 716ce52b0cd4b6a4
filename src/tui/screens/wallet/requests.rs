//! The requests of a look-up: the purpose of each, and those that are running.

use crate::tui::prelude::*;

/// The running requests of a look-up.
#[derive(Default)]
pub(super) struct LookupRequests {
    /// The request for the lists of a holder.
    pub holder: Option<RequestId>,
    /// The request for anything else.
    pub step: Option<(RequestId, LookupStep)>,
    /// What `step` has read, and how much there is: 0 if unknown.
    pub progress: Option<(u64, u64)>,
}

impl LookupRequests {
    pub fn send(&mut self, step: LookupStep, request: Request, effects: &mut Effects<'_>) {
        self.cancel_step(effects);
        self.progress = None;
        self.step = Some((effects.request(request), step));
    }

    pub fn cancel_step(&mut self, effects: &mut Effects<'_>) {
        effects.cancel(self.step.take().map(|(request, _)| request));
    }

    pub fn cancel_all(&mut self, effects: &mut Effects<'_>) {
        effects.cancel(self.holder.take());
        self.cancel_step(effects);
    }

    pub fn forget(&mut self, request: RequestId) {
        self.holder.take_if(|own| *own == request);
        self.take_step(request);
    }

    pub fn take_step(&mut self, request: RequestId) -> Option<LookupStep> {
        self.step.take_if(|(own, _)| *own == request).map(|(_, step)| step)
    }

    pub fn on_progress(&mut self, request: RequestId, done: u64, all: u64) -> bool {
        let is_mine = self.step.as_ref().is_some_and(|(own, _)| *own == request);
        if is_mine {
            self.progress = Some((done, all));
        }
        is_mine
    }

    pub fn is_idle(&self) -> bool {
        self.holder.is_none() && self.step.is_none()
    }

    /// Whether the record of this badge is read.
    pub fn is_reading(&self, id: &BadgeId) -> bool {
        matches!(&self.step, Some((_, LookupStep::Detail(of))) if of == id)
    }

    /// Whether the confirmed reading for a certificate number is running.
    pub fn is_reading_cert(&self) -> bool {
        matches!(self.step, Some((_, LookupStep::ReadCert(..))))
    }

    /// What lapel waits for. `subject` is the address or the name of the look-up.
    pub fn words(&self, subject: &str) -> Option<String> {
        if self.holder.is_some() {
            return Some(t!("reading wallet and history of {email}", email = short(subject)));
        }
        self.step.as_ref().map(|(_, step)| step.words(subject))
    }
}

/// The purpose of a request other than that for a holder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LookupStep {
    /// Searches the index for a certificate number. The text may turn out to be a badge id or a name.
    Cert,
    /// Counts the badges whose record may have a certificate number.
    CertCost(String),
    /// A step of the confirmed reading of records, up to the one with this number. Its response tells what follows.
    ReadCert(CertStep, String),
    ById(BadgeId),
    /// Searches the journal for a badge that the service does not know.
    SentHere(BadgeId),
    /// Reads what the journal has of a badge whose record is shown.
    Journal(BadgeId),
    /// Records in the journal that this badge's holder's wallet is opened.
    Opening(BadgeId),
    /// Records in the journal that the wallet of the possible match at this place is opened.
    OpeningMatch(usize),
    /// Reads the record of a listed badge: for its revoke reason, or because neither list has it.
    Detail(BadgeId),
    /// Searches the history for the caller's name.
    Name,
    /// Searches the journal for a name or an address like one without a badge, and whether all of the search was possible.
    SentAlike(bool),
    /// Searches the index for other addresses and names that may be the caller's.
    Index,
    /// Searches the history for them.
    Further,
    /// Searches the history for this address at the domain that the caller may have meant.
    Meant,
    /// Reads one row of the history, because no badge has this id: the service may write its ids in another form.
    Sample(BadgeId),
    Pictures(BadgeId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CertStep {
    /// Turns an index on, reads the history into it, and lists the records that were not read.
    History,
    Records,
    /// Searches the index again after that.
    Search,
}

impl LookupStep {
    fn words(&self, subject: &str) -> String {
        match self {
            Self::Opening(_) | Self::OpeningMatch(_) => t!("recording that this wallet is opened").to_owned(),
            Self::Cert | Self::CertCost(_) | Self::ReadCert(CertStep::Search, _) => {
                t!("searching the index for this certificate number").to_owned()
            }
            Self::ReadCert(CertStep::Records, number) => {
                t!("reading records to find certificate number {number}", number = short(number))
            }
            Self::ReadCert(..) => t!("reading the history into the index").to_owned(),
            Self::ById(id) | Self::SentHere(id) | Self::Journal(id) | Self::Detail(id) | Self::Sample(id) => {
                t!("reading badge {id}", id = short(id.wire()))
            }
            Self::Name | Self::SentAlike(_) => t!("searching for {name}", name = short(subject)),
            Self::Index | Self::Further | Self::Meant => t!("searching further").to_owned(),
            Self::Pictures(id) => t!("checking pictures of badge {id}", id = short(id.wire())),
        }
    }
}
