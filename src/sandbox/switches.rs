//! Every gap of the contract as a switch.
//!
//! The contract leaves many things open ("not shown"). A stranger's server will have decided each of them
//! somehow, so the sandbox can be told to decide either way. The table below is the only place where a
//! switch is described: parsing, help text, the control address and the tests are all derived from it.

use std::fmt::Write as _;
use std::net::IpAddr;

/// One switch as the help and the control address describe it.
#[derive(Debug, Clone, Copy)]
pub struct Gap {
    /// The word in front of the `=`.
    pub name: &'static str,
    /// What the contract leaves open.
    pub doc: &'static str,
    /// The accepted words and what each does; the first is the default. Empty for a free value.
    pub values: &'static [(&'static str, &'static str)],
    /// For a free value: what it looks like. Empty otherwise.
    pub form: &'static str,
    /// The value without `--set`.
    pub default: &'static str,
}

macro_rules! gaps {
    (
        choices { $(
            $name:literal $field:ident: $Type:ident, $doc:literal {
                $First:ident = $first:literal $first_doc:literal,
                $( $Variant:ident = $word:literal $what:literal, )*
            }
        )+ }
        free { $(
            $fname:literal $ffield:ident: $FType:ty, $fdoc:literal, $form:literal, $fdefault:literal, $read:path, $show:path;
        )+ }
    ) => {
        $(
            #[doc = $doc]
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
            pub enum $Type {
                #[doc = $first_doc]
                #[default]
                $First,
                $( #[doc = $what] $Variant, )*
            }

            impl $Type {
                fn word(self) -> &'static str {
                    match self { Self::$First => $first, $( Self::$Variant => $word, )* }
                }
                fn read(word: &str) -> Option<Self> {
                    match word { $first => Some(Self::$First), $( $word => Some(Self::$Variant), )* _ => None }
                }
            }
        )+

        /// How the sandbox fills every gap of the contract.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Switches {
            $( #[doc = $doc] pub $field: $Type, )+
            $( #[doc = $fdoc] pub $ffield: $FType, )+
        }

        impl Default for Switches {
            fn default() -> Self {
                Self {
                    $( $field: $Type::default(), )+
                    $( $ffield: $read($fdefault).unwrap_or_default(), )+
                }
            }
        }

        /// The table of all switches.
        pub static GAPS: &[Gap] = &[
            $( Gap {
                name: $name, doc: $doc, form: "", default: $first,
                values: &[($first, $first_doc), $( ($word, $what), )*],
            }, )+
            $( Gap { name: $fname, doc: $fdoc, form: $form, default: $fdefault, values: &[] }, )+
        ];

        impl Switches {
            /// Sets one switch by its words. The error says which word is wrong and what would be right.
            pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
                let name = name.trim().to_ascii_lowercase().replace('_', "-");
                let value = value.trim();
                match name.as_str() {
                    $( $name => match $Type::read(value) {
                        Some(value) => { self.$field = value; Ok(()) }
                        None => Err(wrong_value($name, value)),
                    }, )+
                    $( $fname => match $read(value) {
                        Some(value) => { self.$ffield = value; Ok(()) }
                        None => Err(wrong_value($fname, value)),
                    }, )+
                    _ => Err(unknown_name(&name)),
                }
            }

            /// The present value of every switch, in the order of the table.
            pub fn words(&self) -> Vec<(&'static str, String)> {
                vec![
                    $( ($name, self.$field.word().to_owned()), )+
                    $( ($fname, $show(&self.$ffield)), )+
                ]
            }
        }
    };
}

gaps! {
choices {
    "labels" labels: Labels, "the words in status_name" {
        Ko = "ko" "발급대기, 발급완료, 회수중, 회수완료",
        En = "en" "Waiting, Issued, Revoking, Revoked",
        Mixed = "mixed" "Korean or English, from badge to badge",
        Codes = "codes" "ISSUE_WAIT, ISSUED, REVOKING, REVOKED",
        Other = "other" "words that no client can know",
        Swapped = "swapped" "known words with the wrong meaning (waiting says 발급완료 and so on)",
    }
    "waiting-history" waiting_history: WaitingHistory, "is a waiting badge in the history?" {
        Visible = "visible" "listed with the label for waiting",
        Hidden = "hidden" "listed only once it is Issued",
    }
    "waiting-detail" waiting_detail: WaitingDetail, "can a waiting badge be read by its id?" {
        Visible = "visible" "yes",
        Hidden = "hidden" "answered like an unknown id until it is Issued",
    }
    "waiting-issued-at" waiting_issued_at: WaitingIssuedAt, "issued_at (and valid_from, valid_until) of a waiting badge" {
        Null = "null" "null",
        Set = "set" "the time of the request, as if it were issued",
    }
    "wallet-waiting" wallet_waiting: WalletWaiting, "are waiting badges in the wallet?" {
        Hidden = "hidden" "no",
        Shown = "shown" "yes",
    }
    "wallet-revoked" wallet_revoked: WalletRevoked, "are revoked badges in the wallet?" {
        Shown = "shown" "yes",
        Hidden = "hidden" "no",
    }
    "wallet-expired" wallet_expired: WalletExpired, "are expired badges in the wallet?" {
        Shown = "shown" "yes",
        Hidden = "hidden" "no",
    }
    "wallet-other-orgs" wallet_other_orgs: WalletOtherOrgs, "does a wallet show badges of other organisations?" {
        Hidden = "hidden" "no",
        Shown = "shown" "yes, with their own issuing_org",
    }
    "wallet-case" wallet_case: WalletCase, "does the wallet look-up mind upper and lower case?" {
        Insensitive = "insensitive" "no",
        Sensitive = "sensitive" "yes, the address must be typed as stored",
    }
    "wallet-valid-until" wallet_valid_until: WalletValidUntil, "valid_from and valid_until in the wallet" {
        Date = "date" "dates, as in the contract",
        Timestamp = "timestamp" "timestamps",
    }
    "title-match" title_match: TitleMatch, "the title filter of the history" {
        Partial = "partial" "finds the text anywhere in the title",
        Exact = "exact" "whole title only",
    }
    "name-match" name_match: NameMatch, "the recipient_name filter of the history" {
        Partial = "partial" "finds the text anywhere in the name",
        Exact = "exact" "whole name only",
    }
    "email-match" email_match: EmailMatch, "the recipient_email filter of the history" {
        Exact = "exact" "whole address only",
        Partial = "partial" "finds the text anywhere in the address",
    }
    "filter-case" filter_case: FilterCase, "do text filters mind upper and lower case?" {
        Insensitive = "insensitive" "no",
        Sensitive = "sensitive" "yes",
    }
    "date-end" date_end: DateEnd, "is the last day of a date filter included?" {
        Inclusive = "inclusive" "yes, the whole day",
        Exclusive = "exclusive" "no, up to its first second",
    }
    "issue-date-on" issue_date_on: IssueDateOn, "which timestamp issue_start_date and issue_end_date look at" {
        IssuedAt = "issued_at" "issued_at; a waiting badge never matches while that is null",
        RegDate = "reg_date" "reg_date",
    }
    "bad-date" bad_date: BadDate, "a date filter that is not a date" {
        Refuse = "400" "refused",
        Ignore = "ignore" "treated as absent",
    }
    "sorting" sorting: Sorting, "what becomes of sort_by and sort_type" {
        Full = "full" "any column of the list item",
        Ignored = "ignored" "accepted and without effect",
        Refused = "refused" "400 for any sort_by",
    }
    "unknown-sort" unknown_sort: UnknownSort, "a sort_by or sort_type that does not exist" {
        Refuse = "400" "refused",
        Ignore = "ignored" "that pair has no effect",
    }
    "sort-type" sort_type: SortType, "accepted words for the direction" {
        Any = "any" "asc and desc in any letter case",
        Upper = "upper" "only ASC and DESC",
        Lower = "lower" "only asc and desc",
    }
    "default-order" default_order: DefaultOrder, "the order of the history and wallet without sort_by" {
        Newest = "newest" "last accepted first",
        Oldest = "oldest" "first accepted first",
    }
    "rnum" rnum: Rnum, "the sequence number of list items" {
        Asc = "asc" "1 for the first row of the whole result",
        Desc = "desc" "1 for the last row of the whole result",
        Page = "page" "starts again on every page",
        Absent = "absent" "left out",
    }
    "total-count" total_count: TotalCount, "total_count of paged lists" {
        Right = "right" "the number of rows",
        Missing = "missing" "left out",
        Null = "null" "null",
        Short = "short" "smaller than the rows on the page",
        Huge = "huge" "far larger than the result",
        Negative = "negative" "-1",
    }
    "beyond-end" beyond_end: BeyondEnd, "a page after the last one" {
        Empty = "empty" "an empty list",
        Last = "last" "the last page again",
        NotFound = "404" "not found",
    }
    "page-zero" page_zero: PageZero, "page=0" {
        First = "first" "the same as page=1",
        Refuse = "400" "refused",
    }
    "rows-zero" rows_zero: RowsZero, "rows_per_page=0" {
        Default = "default" "the same as leaving it out (20)",
        Empty = "empty" "no rows, only total_count",
        Refuse = "400" "refused",
    }
    "bad-number" bad_number: BadNumber, "a paging value that is not a whole number" {
        Refuse = "400" "refused",
        Default = "default" "treated as absent",
    }
    "bad-key-ping" bad_key_ping: BadKeyPing, "the status with code 4001 on /ping" {
        Unauthorized = "401" "401",
        Forbidden = "403" "403",
    }
    "bad-key-other" bad_key_other: BadKeyOther, "the status with code 4001 everywhere else" {
        Unauthorized = "401" "401",
        Forbidden = "403" "403",
        BadRequest = "400" "400",
        Ok = "200" "200: only the code tells",
    }
    "blocked-answer" blocked_answer: BlockedAnswer, "what an address outside the allow-list gets" {
        Envelope = "envelope403" "403 in the envelope",
        Html = "html403" "403 as a web page of a firewall",
        Reset = "reset" "a connection reset",
    }
    "over-limit" over_limit: OverLimit, "more than 1000 entries in a batch or a revocation" {
        Refuse = "refuse" "400 and nothing is done",
        Cut = "cut" "the first 1000 are taken, the rest dropped without a word",
    }
    "bad-row" bad_row: BadRow, "a batch with a bad row in it" {
        Refuse = "refuse" "400 and nothing is issued",
        Skip = "skip" "the good rows are issued; accepted_count tells",
    }
    "empty-batch" empty_batch: EmptyBatch, "no recipients or badge_ids at all" {
        Refuse = "400" "refused",
        Accept = "accept" "202 with zero accepted",
    }
    "over-quota" over_quota: OverQuota, "a batch that does not fit into the quota" {
        Nothing = "nothing" "422 and nothing is issued",
        Partial422 = "partial-422" "422, although the rows that fit are issued",
        Partial202 = "partial-202" "202; accepted_count tells",
    }
    "twin-rows" twin_rows: TwinRows, "the same address twice in one batch" {
        Both = "both" "two badges",
        First = "first" "one badge; accepted_count tells",
    }
    "retired-template" retired_template: RetiredTemplate, "issuing a template that is out of use (use_yn N)" {
        Refuse = "400" "refused",
        Accept = "accept" "issued all the same",
    }
    "stored-mail" stored_mail: StoredMail, "letter case of a stored address" {
        Keep = "keep" "as it was sent",
        Lower = "lower" "lower case",
    }
    "email-check" email_check: EmailCheck, "which addresses are accepted" {
        Loose = "loose" "something, one @, something, no spaces",
        None = "none" "any text that is not empty",
    }
    "long-text" long_text: LongText, "a name over 500, an address over 320 or a reason over 2000 characters" {
        Refuse = "400" "refused",
        Cut = "cut" "cut off without a word",
        Keep = "keep" "kept",
    }
    "content-type" content_type: ContentType, "a body that is not announced as application/json" {
        Refuse = "415" "refused",
        Ignore = "ignored" "read all the same",
    }
    "issue-time" issue_time: IssueTime, "how long issuing takes" {
        Spread = "spread" "5 minutes to 1 day, mostly short, fixed by seed and badge",
        Short = "5m" "exactly 5 minutes",
        Long = "1d" "exactly 1 day",
        Never = "never" "for ever",
    }
    "revoke-time" revoke_time: RevokeTime, "how long revoking takes" {
        Spread = "spread" "2 to 30 minutes, fixed by seed and badge",
        Instant = "instant" "no time",
        Never = "never" "for ever",
    }
    "email-status" email_status: EmailStatus, "email_status of badges" {
        Seen = "seen" "WAIT while waiting, then SENT, FAIL, BOUNCE and others as in the demo data",
        Null = "null" "null",
        Absent = "absent" "left out",
        Other = "other" "words that no client can know",
    }
    "badge-types" badge_types: BadgeTypes, "the answer of /badge-types" {
        List = "list" "an array of objects",
        Paged = "paged" "an object with list and total_count",
        Names = "names" "an array of texts",
        NotFound = "404" "not offered",
    }
    "unknown-id" unknown_id: UnknownId, "reading an id that does not exist" {
        NotFound = "404" "404",
        BadRequest = "400" "400",
        Null = "200-null" "200 with data null",
    }
    "unknown-template" unknown_template: UnknownTemplate, "issuing a template that does not exist" {
        NotFound = "404" "404",
        BadRequest = "400" "400",
    }
    "no-revoke-history" no_revoke_history: NoRevokeHistory, "revoke_at in the history of a badge that is not revoked" {
        Null = "null" "null",
        Absent = "absent" "left out",
    }
    "no-revoke-detail" no_revoke_detail: NoRevokeDetail, "revoke_at and revoke_reason of a badge that is not revoked" {
        Absent = "absent" "left out",
        Null = "null" "null",
    }
    "no-level" no_level: NoLevel, "level, level_name and validity of templates that have none" {
        Zero = "zero" "0 and empty text",
        Null = "null" "null",
        Absent = "absent" "left out",
    }
    "template-skills" template_skills: TemplateSkills, "skills_tag of a template" {
        Array = "array" "an array, as in the contract",
        Comma = "comma" "a comma-separated text",
    }
    "badge-skills" badge_skills: BadgeSkills, "skills_tag of a badge" {
        Comma = "comma" "a comma-separated text, as in the contract",
        Array = "array" "an array",
    }
    "image-urls" image_urls: ImageUrls, "the form of image addresses" {
        Contract = "contract" "absolute in badge and template, relative in the wallet",
        Relative = "relative" "relative everywhere",
        Absolute = "absolute" "absolute everywhere",
        Foreign = "foreign" "on another host (images.example)",
        Null = "null" "null",
    }
    "numbers" numbers: Numbers, "numbers in answers" {
        Number = "number" "JSON numbers",
        Text = "string" "texts",
    }
    "code-form" code_form: CodeForm, "the code of the envelope" {
        Text = "string" "a text such as \"0001\"",
        Number = "number" "a number such as 1",
        Unknown = "unknown" "a code that the contract does not list",
    }
    "yes-no" yes_no: YesNo, "the form of use_yn and level_yn" {
        Upper = "upper" "Y or N",
        Lower = "lower" "y or n",
        Bool = "bool" "true or false",
        Null = "null" "null",
    }
    "nulls" nulls: Nulls, "fields without a value" {
        Null = "null" "null",
        Absent = "absent" "left out",
        Empty = "empty" "empty text",
    }
    "extra-fields" extra_fields: ExtraFields, "fields that the contract does not know" {
        None = "none" "none",
        Some = "some" "one in every record and one beside code, message and data",
    }
    "envelope" envelope: EnvelopeForm, "the envelope around every answer" {
        Full = "full" "code, message, data",
        Bare = "bare" "no envelope: data alone",
        NoCode = "no-code" "without code",
        NoMessage = "no-message" "without message",
        NoData = "no-data" "without data",
    }
    "retry-after" retry_after: RetryAfter, "the Retry-After header with 429" {
        Seconds = "seconds" "whole seconds, as in the contract",
        HttpDate = "http-date" "an HTTP date (of the real clock)",
        Zero = "zero" "0",
        Hour = "hour" "3600",
        None = "none" "left out",
        Nonsense = "nonsense" "a word",
    }
    "date-header" date_header: DateHeader, "the Date header" {
        Service = "service" "the service's (virtual) time",
        Real = "real" "the time of this machine",
        Nonsense = "nonsense" "not a date",
    }
}
free {
    "zone" zone: i32, "the time zone of the service's timestamps", "an offset such as +09:00, -03:30 or Z", "+09:00", read_zone, show_zone;
    "max-rows" max_rows: u32, "the largest page that is really given, without saying so", "1 to 100", "100", read_max_rows, show_number;
    "allow" allow: AllowList, "addresses on the organisation's allow-list", "any, or addresses separated by commas", "any", read_allow, show_allow;
    "not-found-code" not_found_code: String, "the code with an unknown id", "a text", "4004", read_text, show_text;
    "bad-request-code" bad_request_code: String, "the code with bad input", "a text", "4000", read_text, show_text;
    "quota-code" quota_code: String, "the code with an exceeded quota", "a text", "4022", read_text, show_text;
    "quota-message" quota_message: String, "the message with an exceeded quota", "a text", "발급 가능 수량을 초과했습니다. (issue quota exceeded)", read_text, show_text;
}
}

/// Which client addresses the organisation has allowed. Empty means any.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AllowList(Vec<IpAddr>);

impl AllowList {
    /// May this address call?
    pub fn admits(&self, address: IpAddr) -> bool {
        self.0.is_empty() || self.0.contains(&address)
    }
}

impl Switches {
    /// All defaults, then the given pairs in order.
    pub fn with<N: AsRef<str>, V: AsRef<str>>(pairs: &[(N, V)]) -> Result<Self, String> {
        let mut switches = Self::default();
        for (name, value) in pairs {
            switches.set(name.as_ref(), value.as_ref())?;
        }
        Ok(switches)
    }
}

/// Splits `NAME=VALUE` as given to `--set`.
pub fn split_pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| format!("`{text}` has no `=`: write GAP=VALUE, such as labels=en"))?;
    let pair = (name.trim().to_owned(), value.trim().to_owned());
    Switches::default().set(&pair.0, &pair.1)?;
    Ok(pair)
}

/// The table as help text.
pub fn help() -> String {
    let mut text = String::new();
    for gap in GAPS {
        let _ = writeln!(text, "  {}: {}", gap.name, gap.doc);
        if gap.values.is_empty() {
            let _ = writeln!(text, "      {} (default {})", gap.form, gap.default);
        }
        for (word, what) in gap.values {
            let mark = if *word == gap.default { " (default)" } else { "" };
            let _ = writeln!(text, "      {word:<12} {what}{mark}");
        }
    }
    text
}

fn wrong_value(name: &str, value: &str) -> String {
    let Some(gap) = GAPS.iter().find(|gap| gap.name == name) else { return unknown_name(name) };
    if gap.values.is_empty() {
        return format!("`{value}` is not a value of the switch `{name}`: it takes {}", gap.form);
    }
    let words: Vec<&str> = gap.values.iter().map(|(word, _)| *word).collect();
    format!("`{value}` is not a value of the switch `{name}`: it takes {}", words.join(", "))
}

fn unknown_name(name: &str) -> String {
    let near: Vec<&str> = GAPS
        .iter()
        .map(|gap| gap.name)
        .filter(|known| name.split('-').any(|part| part.len() > 2 && known.contains(part)))
        .collect();
    if near.is_empty() {
        format!("there is no switch `{name}`; `lapel sandbox --help` lists them all")
    } else {
        format!("there is no switch `{name}`; did you mean {}?", near.join(" or "))
    }
}

fn read_zone(text: &str) -> Option<i32> {
    if matches!(text, "Z" | "z" | "UTC" | "utc") {
        return Some(0);
    }
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':').unwrap_or((rest, "0"));
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    let sound = rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    (sound && hours <= 14 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

fn show_zone(offset: &i32) -> String {
    let sign = if *offset < 0 { '-' } else { '+' };
    let minutes = offset.abs() / 60;
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

fn read_max_rows(text: &str) -> Option<u32> {
    text.parse().ok().filter(|rows| (1..=100).contains(rows))
}

fn show_number(number: &u32) -> String {
    number.to_string()
}

fn read_allow(text: &str) -> Option<AllowList> {
    if text == "any" {
        return Some(AllowList::default());
    }
    let list: Option<Vec<IpAddr>> = text.split(',').map(|one| one.trim().parse().ok()).collect();
    list.filter(|list| !list.is_empty()).map(AllowList)
}

fn show_allow(list: &AllowList) -> String {
    if list.0.is_empty() {
        return "any".to_owned();
    }
    list.0.iter().map(IpAddr::to_string).collect::<Vec<_>>().join(",")
}

// The signature is the one the table needs for every free value.
#[allow(clippy::unnecessary_wraps)]
fn read_text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn show_text(text: &String) -> String {
    text.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_of_the_table_can_be_set_and_is_read_back() {
        for gap in GAPS {
            for (word, _) in gap.values {
                let mut switches = Switches::default();
                switches.set(gap.name, word).unwrap();
                assert!(switches.words().contains(&(gap.name, (*word).to_owned())), "{}={word}", gap.name);
            }
        }
    }

    #[test]
    fn the_defaults_of_the_table_are_the_defaults() {
        let words = Switches::default().words();
        for (gap, (name, word)) in GAPS.iter().zip(words) {
            assert_eq!((gap.name, gap.default), (name, word.as_str()));
        }
    }

    #[test]
    fn names_and_values_are_told_apart_once() {
        let mut names: Vec<_> = GAPS.iter().map(|gap| gap.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), GAPS.len());
        for gap in GAPS {
            assert!(!gap.doc.is_empty());
            assert!(help().contains(gap.name));
        }
    }

    #[test]
    fn mistakes_name_the_word_and_say_what_would_be_right() {
        let mut switches = Switches::default();
        let error = switches.set("labels", "jp").unwrap_err();
        assert!(error.contains("jp") && error.contains("mixed"), "{error}");
        let error = switches.set("label", "ko").unwrap_err();
        assert!(error.contains("labels"), "{error}");
        assert!(split_pair("labels").is_err());
        assert!(switches.set("max-rows", "0").is_err());
        assert!(switches.set("allow", "here").is_err());
    }

    #[test]
    fn zones_are_offsets() {
        assert_eq!(read_zone("+09:00"), Some(32_400));
        assert_eq!(read_zone("-03:30"), Some(-12_600));
        assert_eq!(read_zone("Z"), Some(0));
        assert_eq!(read_zone("+25:00"), None);
        assert_eq!(read_zone("Seoul"), None);
        assert_eq!(read_zone("+-3"), None);
        assert_eq!(show_zone(&-12_600), "-03:30");
    }
}
