//! What a caller of support asks.

/// Declares the questions: the letter that chooses each, two or three words for the list, and the caller's words.
macro_rules! questions {
    ($($name:ident $key:literal: $word:expr, $said:expr;)*) => {
        /// What the caller asks. Without a question, the advice covers all that the badge needs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum CallerQuestion { $($name,)* }

        impl CallerQuestion {
            /// With the letters that choose them.
            pub const ALL: &'static [(char, Self)] = &[$(($key, Self::$name),)*];

            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            pub fn said(self) -> &'static str {
                match self { $(Self::$name => $said,)* }
            }
        }
    };
}

questions! {
    NoMail 'm': t!("no mail"), t!("\u{201c}I got no mail.\u{201d}");
    NotInWallet 'w': t!("not in wallet"), t!("\u{201c}It is not in my wallet\u{201d} or \u{201c}It disappeared.\u{201d}");
    When 'a': t!("when does it arrive"), t!("\u{201c}When will it arrive?\u{201d}");
    WrongName 'n': t!("wrong name"), t!("\u{201c}The name on it is wrong.\u{201d}");
    WrongEmail 'e': t!("wrong e-mail"), t!("\u{201c}My e-mail address is wrong\u{201d} or \u{201c}it changed.\u{201d}");
    Expired 'x': t!("shown as expired"), t!("\u{201c}It says expired.\u{201d}");
    Revoked 'r': t!("shown as revoked"), t!("\u{201c}It says revoked.\u{201d}");
    Twice 'd': t!("got it twice"), t!("\u{201c}I got it twice.\u{201d}");
    NotMine 'o': t!("not mine"), t!("\u{201c}A badge in my wallet is not mine.\u{201d}");
    Real 'i': t!("is it real"), t!("\u{201c}Is this badge real?\u{201d} (an employer)");
    Picture 'p': t!("picture does not open"), t!("\u{201c}The link or the picture does not open.\u{201d}");
}
