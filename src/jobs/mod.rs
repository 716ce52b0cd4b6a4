//! The jobs room.
