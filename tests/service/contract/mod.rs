//! The contract, sentence by sentence, against the sandbox.
//!
//! The client here is plain: it knows nothing of `lapel::api`. What the sandbox got wrong must show up as a
//! failing test here, and what the client got wrong as a failing test there.

mod kit;
mod shapes;

mod authentication;
mod conformity;
mod control;
mod faults;
mod history;
mod hostile;
mod issuing;
mod limits;
mod paging;
mod pictures;
mod resources;
mod revoking;
mod switches;
mod wallet;
