//! Recipients from anywhere: files as people have them, every trap with its verdict.

mod encodings;
mod ids;
mod kit;
mod properties;
mod rows;
mod sheets;
mod tables;
