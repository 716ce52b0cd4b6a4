//! Records for tests.

use super::*;

impl HistoryItem {
    pub fn for_test(badge_id: BadgeId) -> Self {
        Self {
            badge_id,
            template_id: None,
            title: None,
            badge_type_name: None,
            category_name: None,
            level: None,
            level_name: None,
            recipient_name: None,
            recipient_email: None,
            status_name: None,
            email_status: None,
            issuing_org: None,
            valid_until: None,
            issued_at: None,
            reg_date: None,
            revoke_at: None,
            rnum: None,
            read_at: None,
        }
    }
}
