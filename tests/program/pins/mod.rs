//! The names that users have: flags, settings, keys, JSON fields, columns, exit codes, the journal's schema and words.
//!
//! Scripts, settings files and journals rely on these names, so a change of the code must keep them. Each test takes
//! a list of names from the program itself and compares it with a file in `lists`. A name that is gone fails, and so
//! does a new one: add it with `UPDATE_PINS=1 cargo test --test program pins::`, and read the difference before you commit it.
//! Where a better name is introduced, the old one stays readable; the samples are files as users have them today.

mod columns;
mod command_line;
mod journal;
mod json_fields;
mod json_shape;
mod layers;
mod pinned;
mod plain_english;
pub mod schema;
mod settings;
mod sizes;
mod type_names;
