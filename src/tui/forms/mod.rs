//! Forms for what has consequences: fields, checks, a review of exactly what will be sent and where, and a
//! confirmation that neither Enter nor the key that opened the form can give.

pub mod confirm;
pub mod confirm_live;
pub mod confirm_resend;
pub mod draft;
pub mod edit_row;
pub mod export;
pub mod file;
pub mod filters;
pub mod issue;
pub mod key_question;
pub mod key_source;
pub mod label;
pub mod lay;
pub mod mark_all;
pub mod path;
pub mod ping;
pub mod profile;
pub mod profiles;
pub mod question;
pub mod remove;
pub mod repin_key;
pub mod replace;
pub mod revoke;
pub mod revoke_ids;
