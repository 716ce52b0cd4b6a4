//! Forms for what has consequences: fields, checks, a review of exactly what will be sent and where, and a
//! confirmation that neither Enter nor the key that opened the form can give.

pub mod again;
pub mod confirm;
pub mod correct;
pub mod draft;
pub mod export;
pub mod file;
pub mod filters;
pub mod ids;
pub mod issue;
pub mod key_from;
pub mod key_question;
pub mod label;
pub mod lay;
pub mod mark_all;
pub mod organisation;
pub mod path;
pub mod pin;
pub mod ping;
pub mod profile;
pub mod profiles;
pub mod question;
pub mod remove;
pub mod replace;
pub mod revoke;
