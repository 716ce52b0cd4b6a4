//! The api room.
