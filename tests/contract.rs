//! The contract, sentence by sentence, against the sandbox.
//!
//! The client here is plain: it knows nothing of `lapel::api`. What the sandbox got wrong must show up as a
//! failing test here, and what the client got wrong as a failing test there.

// A test says what is wrong by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "contract/kit.rs"]
mod kit;

#[path = "contract/shapes.rs"]
mod shapes;

#[path = "contract/authentication.rs"]
mod authentication;
#[path = "contract/conformity.rs"]
mod conformity;
#[path = "contract/control.rs"]
mod control;
#[path = "contract/faults.rs"]
mod faults;
#[path = "contract/history.rs"]
mod history;
#[path = "contract/hostile.rs"]
mod hostile;
#[path = "contract/issuing.rs"]
mod issuing;
#[path = "contract/limits.rs"]
mod limits;
#[path = "contract/paging.rs"]
mod paging;
#[path = "contract/pictures.rs"]
mod pictures;
#[path = "contract/resources.rs"]
mod resources;
#[path = "contract/revoking.rs"]
mod revoking;
#[path = "contract/switches.rs"]
mod switches;
#[path = "contract/wallet.rs"]
mod wallet;
