//! The table of all switches.

// These texts are primarily help texts, which have no backticks.
#![allow(clippy::doc_markdown)]

use super::values::{AllowList, read_allow, read_max_rows, read_text, read_zone, show_allow, show_zone};
use super::{Gap, unknown_name, wrong_value};

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
        Hidden = "hidden" "listed only once it is Issued",
        Visible = "visible" "listed with the label for waiting",
    }
    "waiting-detail" waiting_detail: WaitingDetail, "can a waiting badge be read by its id?" {
        Visible = "visible" "yes",
        Hidden = "hidden" "answered like an unknown id until it is Issued",
    }
    "waiting-issued-at" waiting_issued_at: WaitingIssuedAt, "issued_at (and valid_from, valid_until) of a waiting badge" {
        Set = "set" "the time of acceptance: the contract's issued_at is never null",
        Null = "null" "null",
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
    "blocked-answer" blocked_answer: BlockedResponse, "what an address outside the allow-list gets" {
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
        Accept = "accept" "issued anyway",
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
        Ignore = "ignored" "read anyway",
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
    "no-expiry" no_expiry: NoExpiry, "valid_until of a badge that never expires" {
        Null = "null" "null",
        Far = "9999" "9999-12-31",
        Zero = "0000" "0000-00-00",
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
    "max-rows" max_rows: u32, "the largest page that is really given, without saying so", "1 to 100", "100", read_max_rows, u32::to_string;
    "allow" allow: AllowList, "addresses on the organisation's allow-list", "any, or addresses separated by commas", "any", read_allow, show_allow;
    "not-found-code" not_found_code: String, "the code with an unknown id", "a text", "4004", read_text, String::clone;
    "bad-request-code" bad_request_code: String, "the code with bad input", "a text", "4000", read_text, String::clone;
    "quota-code" quota_code: String, "the code with an exceeded quota", "a text", "4022", read_text, String::clone;
    "quota-message" quota_message: String, "the message with an exceeded quota", "a text", "발급 가능 수량을 초과했습니다. (issue quota exceeded)", read_text, String::clone;
}
}
