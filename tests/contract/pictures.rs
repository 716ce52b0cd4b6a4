use crate::kit;
