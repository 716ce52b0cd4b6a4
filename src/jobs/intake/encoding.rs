//! The supported encodings of text files.

use crate::jobs::prelude::*;
use encoding_rs::{EUC_KR, Encoding, UTF_8, UTF_16BE, UTF_16LE};
use std::str::FromStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextEncoding {
    /// UTF-8, with or without a byte order mark.
    Utf8,
    /// UTF-16, low byte first: "Unicode text" of a spreadsheet program.
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
    /// CP949 (windows-949, UHC): the "CSV" of Korean spreadsheet programs. It contains EUC-KR.
    Cp949,
}

impl TextEncoding {
    pub const ALL: [Self; 4] = [Self::Utf8, Self::Cp949, Self::Utf16Le, Self::Utf16Be];

    pub const fn label(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16Le => "UTF-16 LE",
            Self::Utf16Be => "UTF-16 BE",
            Self::Cp949 => "CP949",
        }
    }

    /// The web's EUC-KR is windows-949.
    pub(super) fn codec(self) -> &'static Encoding {
        match self {
            Self::Utf8 => UTF_8,
            Self::Utf16Le => UTF_16LE,
            Self::Utf16Be => UTF_16BE,
            Self::Cp949 => EUC_KR,
        }
    }
}

impl fmt::Display for TextEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.label())
    }
}

impl FromStr for TextEncoding {
    type Err = Localizable;

    /// Ignores case, hyphens, underscores and spaces.
    fn from_str(typed: &str) -> Result<Self, Localizable> {
        let folded: String =
            typed.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).map(|c| c.to_ascii_lowercase()).collect();
        match folded.as_str() {
            "utf8" | "utf8bom" | "utf8sig" | "ascii" | "usascii" => Ok(Self::Utf8),
            "utf16le" | "utf16" | "unicode" | "ucs2" | "ucs2le" => Ok(Self::Utf16Le),
            "utf16be" | "ucs2be" => Ok(Self::Utf16Be),
            "cp949" | "ms949" | "windows949" | "uhc" | "euckr" | "949" | "ksc5601" | "ksx1001" | "korean"
            | "완성형" => Ok(Self::Cp949),
            _ => Err(localizable!(
                "lapel cannot read the encoding \"{typed}\". Use utf-8, cp949, utf-16le or utf-16be.",
                typed = crate::domain::text::scrub(typed)
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_known_by_the_names_people_use() {
        for (typed, meant) in [
            ("cp949", TextEncoding::Cp949),
            ("EUC-KR", TextEncoding::Cp949),
            ("uhc", TextEncoding::Cp949),
            ("MS949", TextEncoding::Cp949),
            ("windows-949", TextEncoding::Cp949),
            ("utf8", TextEncoding::Utf8),
            ("UTF-8", TextEncoding::Utf8),
            ("utf-16le", TextEncoding::Utf16Le),
            ("UTF-16 BE", TextEncoding::Utf16Be),
        ] {
            assert_eq!(typed.parse(), Ok(meant), "{typed}");
        }
        for encoding in TextEncoding::ALL {
            assert_eq!(encoding.label().parse(), Ok(encoding));
        }
        assert!("latin-1".parse::<TextEncoding>().expect_err("not read").to_string().contains("cp949"));
    }
}
