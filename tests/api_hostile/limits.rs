//! What a GET survives, sends and sees.
