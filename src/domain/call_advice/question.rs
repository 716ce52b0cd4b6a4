//! What a caller of support asks.

/// What the caller asks. Without a question, the advice covers all that the badge needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallerQuestion {
    NoMail,
    NotInWallet,
    When,
    WrongName,
    WrongEmail,
    Expired,
    Revoked,
    Twice,
    NotMine,
    Real,
    Picture,
}

impl CallerQuestion {
    /// With the letters that choose them.
    pub const ALL: [(char, Self); 11] = [
        ('m', Self::NoMail),
        ('w', Self::NotInWallet),
        ('a', Self::When),
        ('n', Self::WrongName),
        ('e', Self::WrongEmail),
        ('x', Self::Expired),
        ('r', Self::Revoked),
        ('d', Self::Twice),
        ('o', Self::NotMine),
        ('i', Self::Real),
        ('p', Self::Picture),
    ];

    /// Two or three words, for the list of questions.
    pub fn word(self) -> &'static str {
        match self {
            Self::NoMail => t!("no mail"),
            Self::NotInWallet => t!("not in wallet"),
            Self::When => t!("when does it arrive"),
            Self::WrongName => t!("wrong name"),
            Self::WrongEmail => t!("wrong e-mail"),
            Self::Expired => t!("shown as expired"),
            Self::Revoked => t!("shown as revoked"),
            Self::Twice => t!("got it twice"),
            Self::NotMine => t!("not mine"),
            Self::Real => t!("is it real"),
            Self::Picture => t!("picture does not open"),
        }
    }

    /// In the caller's words.
    pub fn said(self) -> &'static str {
        match self {
            Self::NoMail => t!("\u{201c}I got no mail.\u{201d}"),
            Self::NotInWallet => {
                t!("\u{201c}It is not in my wallet\u{201d} or \u{201c}It disappeared.\u{201d}")
            }
            Self::When => t!("\u{201c}When will it arrive?\u{201d}"),
            Self::WrongName => t!("\u{201c}The name on it is wrong.\u{201d}"),
            Self::WrongEmail => {
                t!("\u{201c}My e-mail address is wrong\u{201d} or \u{201c}it changed.\u{201d}")
            }
            Self::Expired => t!("\u{201c}It says expired.\u{201d}"),
            Self::Revoked => t!("\u{201c}It says revoked.\u{201d}"),
            Self::Twice => t!("\u{201c}I got it twice.\u{201d}"),
            Self::NotMine => t!("\u{201c}A badge in my wallet is not mine.\u{201d}"),
            Self::Real => t!("\u{201c}Is this badge real?\u{201d} (an employer)"),
            Self::Picture => t!("\u{201c}The link or the picture does not open.\u{201d}"),
        }
    }
}
