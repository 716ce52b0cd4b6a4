//! Copies in the list: badges of one template and one name. They are listed one below the other, the one that counts
//! first. Three or more of them are folded into one row, which opens to its copies. A chosen order or a search lists
//! each badge by itself.

use super::wallet_list::WalletList;
use crate::tui::prelude::*;
use crate::tui::screens::history::copies::not_issued;
use std::rc::Rc;

/// Copies that are folded: fewer are as easy to read as their one row.
const FOLDED_FROM: usize = 3;

/// The template, or else the title, and the name for comparing.
pub(super) type GroupKey = (String, Option<String>);

/// The indexes of the copies of one badge: valid ones first, then waiting ones, and the newest first among equals.
struct CopyGroup {
    key: GroupKey,
    /// The index of the newest one, where the group is listed.
    first: usize,
    copies: Vec<usize>,
}

fn key(held: &HeldBadge) -> Option<GroupKey> {
    let template = held.template_id().map(TemplateId::wire).or_else(|| held.title().map(Text::wire))?;
    Some((template.to_owned(), held.name_key().map(Cow::into_owned)))
}

/// The copies among the badges of an answer.
#[derive(Default)]
pub(super) struct Copies {
    groups: Vec<CopyGroup>,
    /// The words about copies, for each copy: `3 copies, 1 Waiting`.
    pub words: Rc<HashMap<BadgeId, String>>,
}

impl Copies {
    pub fn of(held: &[HeldBadge], now: DateTime) -> Self {
        let groups = groups(held, now);
        let words = Rc::new(words(held, &groups, now));
        Self { groups, words }
    }
}

/// The groups of two and more.
fn groups(held: &[HeldBadge], now: DateTime) -> Vec<CopyGroup> {
    let mut at: HashMap<GroupKey, usize> = HashMap::new();
    let mut groups: Vec<CopyGroup> = Vec::new();
    for (place, one) in held.iter().enumerate() {
        let Some(key) = key(one) else { continue };
        let group = *at.entry(key.clone()).or_insert(groups.len());
        match groups.get_mut(group) {
            Some(group) => group.copies.push(place),
            None => groups.push(CopyGroup { key, first: place, copies: vec![place] }),
        }
    }
    groups.retain(|group| group.copies.len() > 1);
    let rank = |place: &usize| match held.get(*place).map(|one| one.verdict(now).state()) {
        Some(State::Issued) => 0,
        Some(State::Waiting) => 1,
        _ => 2,
    };
    for group in &mut groups {
        // The sort is stable: of two that count, the newest stays first.
        group.copies.sort_by_cached_key(rank);
    }
    groups
}

fn words(held: &[HeldBadge], groups: &[CopyGroup], now: DateTime) -> HashMap<BadgeId, String> {
    let mut all = HashMap::new();
    for group in groups {
        let copies: Vec<&HeldBadge> = group.copies.iter().filter_map(|place| held.get(*place)).collect();
        let others = not_issued(copies.iter().map(|one| one.verdict(now).state()));
        let n = t!("{n} copies", n = number(copies.len() as u64));
        let words = std::iter::once(n).chain(others).collect::<Vec<_>>().join(", ");
        all.extend(copies.iter().map(|one| (one.badge_id.clone(), words.clone())));
    }
    all
}

/// The badges in the order of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Arrangement {
    /// Indexes of the listed badges. `None` lists all as they came.
    pub order: Option<Vec<usize>>,
    /// The folded copies by the index of their one row.
    folded: HashMap<usize, Vec<usize>>,
    /// The copies below another one, and the row that opened to copies.
    pub signs: Rc<HashMap<BadgeId, Sign>>,
}

impl Arrangement {
    pub fn of(order: Vec<usize>) -> Self {
        Self { order: Some(order), ..Self::default() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Folded,
    Unfolded,
    Copy,
}

impl Sign {
    pub fn text(self, cx: &UiContext) -> String {
        let sign = match self {
            Self::Folded => cx.glyphs.folded,
            Self::Unfolded => cx.glyphs.unfolded,
            Self::Copy => cx.glyphs.branch,
        };
        format!("{sign} ")
    }
}

impl WalletList {
    /// The badges with their copies below them, and folded where they were not opened. `wanted` is never folded.
    pub(super) fn with_groups(&mut self, wanted: Option<&BadgeId>) -> Arrangement {
        let Some(found) = &self.found else { return Arrangement::default() };
        let (held, groups) = (&found.held, &found.copies().groups);
        let id = |place: usize| held.get(place).map(|one| &one.badge_id);
        for group in groups.iter().filter(|group| group.copies.len() >= FOLDED_FROM) {
            if wanted.is_some() && group.copies.iter().skip(1).any(|place| id(*place) == wanted) {
                self.unfolded.insert(group.key.clone());
            }
        }
        let of: HashMap<usize, &CopyGroup> =
            groups.iter().flat_map(|group| group.copies.iter().map(move |place| (*place, group))).collect();
        let (mut folded, mut signs, mut order) = (HashMap::new(), HashMap::new(), Vec::new());
        for place in 0..held.len() {
            let Some(group) = of.get(&place) else {
                order.push(place);
                continue;
            };
            // The group has the place of its first copy.
            if group.first != place {
                continue;
            }
            let Some((head, others)) = group.copies.split_first() else { continue };
            let is_long = group.copies.len() >= FOLDED_FROM;
            let is_folded = is_long && !self.unfolded.contains(&group.key);
            order.push(*head);
            if is_folded {
                folded.insert(*head, others.to_vec());
            } else {
                order.extend(others);
                signs.extend(others.iter().filter_map(|one| Some((id(*one)?.clone(), Sign::Copy))));
            }
            let sign = if is_folded { Sign::Folded } else { Sign::Unfolded };
            signs.extend(id(*head).filter(|_| is_long).map(|id| (id.clone(), sign)));
        }
        Arrangement { order: Some(order), folded, signs: Rc::new(signs) }
    }

    fn sign(&self, held: &HeldBadge) -> Option<Sign> {
        self.found.as_ref()?.arranged.signs.get(&held.badge_id).copied()
    }

    /// The number of badges in the selected row, if they are folded.
    pub(super) fn folded_here(&self) -> Option<usize> {
        let index = self.index(self.cursor.at())?;
        Some(self.found.as_ref()?.arranged.folded.get(&index)?.len() + 1)
    }

    /// Opens the selected row to its copies.
    pub(super) fn unfold(&mut self) {
        self.unfolded.extend(self.selected().and_then(key));
        self.unsorted = true;
    }

    /// The copies that are open around the selected row.
    fn unfolded_here(&self) -> Option<GroupKey> {
        let held = self.selected().filter(|held| self.sign(held).is_some())?;
        key(held).filter(|key| self.unfolded.contains(key))
    }

    pub(super) fn can_fold(&self) -> bool {
        self.unfolded_here().is_some()
    }

    /// Folds the copies around the selected row. Their one row is selected then.
    pub(super) fn fold(&mut self, cx: &UiContext) {
        let Some(group) = self.unfolded_here() else { return };
        let is_head =
            |held: &HeldBadge| self.sign(held) == Some(Sign::Unfolded) && key(held).as_ref() == Some(&group);
        let head = self.rows().position(is_head);
        if let Some(place) = head {
            self.cursor.select(place);
        }
        self.unfolded.remove(&group);
        self.unsorted = true;
        self.arrange(cx);
    }

    /// The listed badges, and the folded ones after their one row.
    pub(super) fn rows_with_folded(&self) -> impl Iterator<Item = &HeldBadge> {
        let folded = self.found.as_ref().map(|found| &found.arranged.folded);
        let with_folded = move |index: usize| {
            let folded = folded.and_then(|folded| folded.get(&index)).into_iter().flatten();
            std::iter::once(index).chain(folded.copied())
        };
        (0..self.len())
            .filter_map(|place| self.index(place))
            .flat_map(with_folded)
            .filter_map(|index| self.held().get(index))
    }
}
