//! The validity of a template: the end for a badge issued today, and warnings before quota is spent on it.

use super::records::TemplateDetail;
use super::text::Text;
use super::time::ServiceTime;
use jiff::Span;
use jiff::civil::{Date, DateTime};

/// The end of validity by lapel's computation; the service decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Validity {
    NoEnd,
    Until(Date),
    /// The template's codes, displayed unchanged.
    CannotCompute(Text),
}

/// `issued` is in service time.
pub fn validity(template: &TemplateDetail, issued: DateTime) -> Validity {
    if let Some(fixed) = template.fixed_expire_date.as_ref().filter(|f| !f.is_forever()) {
        return fixed.day().map_or_else(|| Validity::CannotCompute(fixed.raw().clone()), Validity::Until);
    }
    let kind = code(template.validity_type_cd.as_ref());
    let codes = || {
        let part = |t: &Option<Text>| t.as_ref().map_or(String::new(), |t| t.wire().to_owned());
        let value = template.validity_value.map_or(String::new(), |v| v.to_string());
        Text::new(
            format!("{} {} {}", part(&template.validity_type_cd), value, part(&template.validity_unit_cd))
                .trim(),
        )
    };
    match kind.as_str() {
        "" | "NONE" | "UNLIMITED" | "PERMANENT" | "INFINITE" => match template.validity_value {
            None | Some(0) => Validity::NoEnd,
            Some(_) => Validity::CannotCompute(codes()),
        },
        "PERIOD" => {
            let unit = code(template.validity_unit_cd.as_ref());
            let value = template.validity_value.filter(|value| *value > 0);
            // Keeps month ends: 31 January plus one month is the last day of February.
            let end = value.and_then(|value| issued.checked_add(span(value, &unit)?).ok());
            end.map_or_else(|| Validity::CannotCompute(codes()), |end| Validity::Until(end.date()))
        }
        _ => Validity::CannotCompute(codes()),
    }
}

/// `None` for an unknown unit.
fn span(value: i64, unit: &str) -> Option<Span> {
    let none = Span::new();
    let span = match unit {
        "YEAR" | "YEARS" => none.try_years(value),
        "MONTH" | "MONTHS" => none.try_months(value),
        "WEEK" | "WEEKS" => none.try_weeks(value),
        "DAY" | "DAYS" => none.try_days(value),
        "HOUR" | "HOURS" => none.try_hours(value),
        _ => return None,
    };
    span.ok()
}

fn code(text: Option<&Text>) -> String {
    text.map_or(String::new(), |t| t.wire().trim().to_ascii_uppercase())
}

/// `valid 24 months`, `no end date`, `valid until 2026-12-31`.
pub fn policy(template: &TemplateDetail) -> String {
    if let Some(fixed) = template.fixed_expire_date.as_ref().filter(|f| !f.is_forever()) {
        return t!("valid until {at}", at = fixed);
    }
    // Any date works: this only tests whether lapel can compute the end.
    match validity(template, jiff::civil::datetime(2026, 1, 1, 0, 0, 0, 0)) {
        Validity::NoEnd => t!("no end date").to_owned(),
        Validity::CannotCompute(codes) => t!("unknown validity \u{201c}{codes}\u{201d}", codes),
        Validity::Until(_) => {
            let unit = code(template.validity_unit_cd.as_ref()).to_ascii_lowercase();
            let unit = unit.trim_end_matches('s');
            let value = template.validity_value.unwrap_or_default();
            valid_for(value, unit)
        }
    }
}

/// `valid 1 year`, `valid 24 months`.
fn valid_for(n: i64, unit: &str) -> String {
    let n = n.unsigned_abs();
    match unit {
        "year" => plural!(n, "valid {n} year", "valid {n} years"),
        "month" => plural!(n, "valid {n} month", "valid {n} months"),
        "week" => plural!(n, "valid {n} week", "valid {n} weeks"),
        "day" => plural!(n, "valid {n} day", "valid {n} days"),
        _ => plural!(n, "valid {n} hour", "valid {n} hours"),
    }
}

/// The most serious first. None of them forbids issuing.
pub fn warnings(template: &TemplateDetail, now: DateTime) -> Vec<String> {
    let mut said = Vec::new();
    if template.use_yn == Some(false) {
        said.push(t!("this template is not in use (use_yn is N)").to_owned());
    }
    if let Some(end) = template.fixed_expire_date.as_ref().and_then(ServiceTime::end)
        && end < now
    {
        said.push(t!("a badge issued now would already be expired (fixed end date {end})", end = end.date()));
    }
    if let Validity::CannotCompute(codes) = validity(template, now) {
        said.push(t!(
            "lapel cannot calculate the validity \u{201c}{codes}\u{201d}; the service sets it",
            codes
        ));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::TemplateId;
    use jiff::civil::{date, datetime};

    fn template(kind: &str, value: Option<i64>, unit: &str) -> TemplateDetail {
        TemplateDetail {
            template_id: TemplateId::new("T1").expect("not empty"),
            title: None,
            badge_type: None,
            badge_type_name: None,
            category_id: None,
            category_name: None,
            category_level_id: None,
            level: None,
            level_name: None,
            description: None,
            criteria: None,
            skills_tag: Vec::new(),
            card_color_cd: None,
            validity_type_cd: Some(kind.into()),
            fixed_expire_date: None,
            validity_value: value,
            validity_unit_cd: Some(unit.into()),
            image_url: None,
            use_yn: Some(true),
            reg_date: None,
            upd_date: None,
        }
    }

    #[test]
    fn month_ends_are_kept() {
        let issued = datetime(2027, 1, 31, 10, 0, 0, 0);
        assert_eq!(
            validity(&template("PERIOD", Some(1), "MONTH"), issued),
            Validity::Until(date(2027, 2, 28))
        );
        let leap = datetime(2028, 2, 29, 10, 0, 0, 0);
        assert_eq!(validity(&template("PERIOD", Some(1), "YEAR"), leap), Validity::Until(date(2029, 2, 28)));
        assert_eq!(
            validity(&template("period", Some(24), "Months"), issued),
            Validity::Until(date(2029, 1, 31))
        );
    }

    #[test]
    fn what_cannot_be_computed_is_said_not_guessed() {
        let issued = datetime(2026, 11, 21, 0, 0, 0, 0);
        for (kind, value, unit) in [
            ("PERIOD", Some(0), "MONTH"),
            ("PERIOD", None, "MONTH"),
            ("PERIOD", Some(2), "MOON"),
            ("ROLLING", Some(2), "MONTH"),
            ("PERIOD", Some(i64::MAX), "YEAR"),
            ("PERIOD", Some(-3), "DAY"),
        ] {
            let t = template(kind, value, unit);
            assert!(matches!(validity(&t, issued), Validity::CannotCompute(_)), "{kind} {value:?} {unit}");
            assert_eq!(warnings(&t, issued).len(), 1);
        }
        assert_eq!(validity(&template("", None, ""), issued), Validity::NoEnd);
    }

    #[test]
    fn a_badge_born_expired_is_warned_of() {
        let mut t = template("FIXED", None, "");
        t.fixed_expire_date = ServiceTime::new("2024-12-31");
        t.use_yn = Some(false);
        let said = warnings(&t, datetime(2026, 11, 21, 0, 0, 0, 0));
        assert_eq!(said.len(), 2);
        assert!(said[1].contains("already be expired"), "{said:?}");
    }

    #[test]
    fn the_policy_reads_as_words() {
        assert_eq!(policy(&template("PERIOD", Some(24), "MONTH")), "valid 24 months");
        assert_eq!(policy(&template("PERIOD", Some(1), "YEAR")), "valid 1 year");
        assert_eq!(policy(&template("NONE", None, "")), "no end date");
    }
}
