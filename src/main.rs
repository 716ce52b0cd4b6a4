//! The `lapel` binary: parse, choose, hand over.

fn main() {}
