//! The records of an old Excel workbook ([MS-XLS], BIFF8).

use calamine::ExcelDateTimeType;

pub(super) const FORMULA: u16 = 0x0006;
pub(super) const EOF: u16 = 0x000a;
pub(super) const DATE_MODE: u16 = 0x0022;
pub(super) const FILE_PASS: u16 = 0x002f;
const CONTINUE: u16 = 0x003c;
pub(super) const COL_INFO: u16 = 0x007d;
pub(super) const BOUND_SHEET: u16 = 0x0085;
pub(super) const MUL_RK: u16 = 0x00bd;
pub(super) const RSTRING: u16 = 0x00d6;
pub(super) const XF: u16 = 0x00e0;
pub(super) const MERGE_CELLS: u16 = 0x00e5;
pub(super) const SST: u16 = 0x00fc;
pub(super) const LABEL_SST: u16 = 0x00fd;
pub(super) const HLINK: u16 = 0x01b8;
pub(super) const NUMBER: u16 = 0x0203;
pub(super) const LABEL: u16 = 0x0204;
pub(super) const BOOL_ERR: u16 = 0x0205;
pub(super) const STRING: u16 = 0x0207;
pub(super) const ROW: u16 = 0x0208;
pub(super) const RK: u16 = 0x027e;
pub(super) const FORMAT: u16 = 0x041e;
pub(super) const BOF: u16 = 0x0809;

/// One record, including its continuation records.
pub(super) struct BiffRecord<'a> {
    pub kind: u16,
    pub data: &'a [u8],
    more: Vec<&'a [u8]>,
}

/// The records of a stream. A truncated record ends it.
pub(super) struct BiffRecords<'a> {
    rest: &'a [u8],
}

impl<'a> BiffRecords<'a> {
    pub fn new(stream: &'a [u8]) -> Self {
        Self { rest: stream }
    }

    fn one(&mut self) -> Option<(u16, &'a [u8])> {
        let (head, rest) = self.rest.split_at_checked(4)?;
        let length = usize::from(u16::from_le_bytes([head[2], head[3]]));
        let (data, rest) = rest.split_at_checked(length)?;
        self.rest = rest;
        Some((u16::from_le_bytes([head[0], head[1]]), data))
    }
}

impl<'a> Iterator for BiffRecords<'a> {
    type Item = BiffRecord<'a>;

    fn next(&mut self) -> Option<BiffRecord<'a>> {
        let (kind, data) = self.one()?;
        let mut more = Vec::new();
        while self.rest.starts_with(&CONTINUE.to_le_bytes()) {
            match self.one() {
                Some((_, data)) => more.push(data),
                None => break,
            }
        }
        Some(BiffRecord { kind, data, more })
    }
}

impl BiffRecord<'_> {
    pub fn u8(&self, at: usize) -> Option<u8> {
        self.data.get(at).copied()
    }

    pub fn u16(&self, at: usize) -> Option<u16> {
        self.array(at).map(u16::from_le_bytes)
    }

    pub fn u32(&self, at: usize) -> Option<u32> {
        self.array(at).map(u32::from_le_bytes)
    }

    pub fn f64(&self, at: usize) -> Option<f64> {
        self.array(at).map(f64::from_le_bytes)
    }

    fn array<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.data.get(at..at.checked_add(N)?)?.try_into().ok()
    }

    fn parts(&self, at: usize) -> ContinuedData<'_> {
        let first = self.data.get(at..).unwrap_or_default();
        ContinuedData { rest: first, more: self.more.iter() }
    }

    /// A text with a two-byte length.
    pub fn text(&self, at: usize) -> String {
        let mut parts = self.parts(at);
        let length = parts.u16();
        parts.text(length)
    }

    /// A text with a one-byte length.
    pub fn short_text(&self, at: usize) -> String {
        let mut parts = self.parts(at);
        let length = parts.byte().map(u16::from);
        parts.text(length)
    }

    pub fn strings(&self) -> Vec<String> {
        let mut parts = self.parts(8);
        let mut all = Vec::new();
        while let Some(text) = parts.rich_text() {
            all.push(text);
        }
        all
    }
}

/// Data that continues in the next records.
struct ContinuedData<'a> {
    rest: &'a [u8],
    more: std::slice::Iter<'a, &'a [u8]>,
}

impl ContinuedData<'_> {
    fn byte(&mut self) -> Option<u8> {
        while self.rest.is_empty() {
            self.rest = self.more.next()?;
        }
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes([self.byte()?, self.byte()?]))
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from(self.u16()?) | u32::from(self.u16()?) << 16)
    }

    fn skip(&mut self, mut bytes: usize) {
        while bytes > 0 {
            let now = bytes.min(self.rest.len());
            self.rest = &self.rest[now..];
            bytes -= now;
            if bytes > 0 {
                match self.more.next() {
                    Some(next) => self.rest = next,
                    None => return,
                }
            }
        }
    }

    fn text(&mut self, length: Option<u16>) -> String {
        length.zip(self.byte()).map(|(length, flags)| self.letters(length, flags)).unwrap_or_default()
    }

    /// One or two bytes each. A continuation in another record begins with new flags.
    fn letters(&mut self, length: u16, flags: u8) -> String {
        let mut wide = flags & 1 != 0;
        let mut units = Vec::with_capacity(usize::from(length));
        while units.len() < usize::from(length) {
            let needed = if wide { 2 } else { 1 };
            if self.rest.len() < needed {
                match self.more.next().and_then(|next| next.split_first()) {
                    Some((flags, rest)) => {
                        wide = flags & 1 != 0;
                        self.rest = rest;
                        continue;
                    }
                    None => break,
                }
            }
            let (letter, rest) = self.rest.split_at(needed);
            units.push(match letter {
                [low, high] => u16::from_le_bytes([*low, *high]),
                [low] => u16::from(*low),
                _ => break,
            });
            self.rest = rest;
        }
        String::from_utf16_lossy(&units)
    }

    /// A text of the shared table. Its formatting and its phonetic data follow it.
    fn rich_text(&mut self) -> Option<String> {
        let length = self.u16()?;
        let flags = self.byte()?;
        let runs = if flags & 8 != 0 { usize::from(self.u16()?) } else { 0 };
        let aid = if flags & 4 != 0 { self.u32()? as usize } else { 0 };
        let text = self.letters(length, flags);
        self.skip(runs * 4);
        self.skip(aid);
        Some(text)
    }
}

/// Unpacks a four-byte number.
pub(super) fn rk(packed: u32) -> f64 {
    let value = if packed & 2 != 0 {
        f64::from((packed as i32) >> 2)
    } else {
        f64::from_bits(u64::from(packed & !3) << 32)
    };
    if packed & 1 != 0 { value / 100.0 } else { value }
}

/// Whether this number format shows a date or a time.
pub(super) fn date_kind(format: u16, code: Option<&str>) -> Option<ExcelDateTimeType> {
    let Some(code) = code else {
        return match format {
            14..=22 | 27..=36 | 50..=58 => Some(ExcelDateTimeType::DateTime),
            45..=47 => Some(ExcelDateTimeType::TimeDelta),
            _ => None,
        };
    };
    let mut letters = String::new();
    let mut chars = code.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                let _ = chars.by_ref().find(|c| *c == '"');
            }
            '\\' | '_' | '*' => {
                let _ = chars.next();
            }
            '[' => {
                let inside: String = chars.by_ref().take_while(|c| *c != ']').collect();
                let inside = inside.to_ascii_lowercase();
                if !inside.is_empty() && inside.chars().all(|c| matches!(c, 'h' | 'm' | 's')) {
                    return Some(ExcelDateTimeType::TimeDelta);
                }
            }
            ';' => break,
            _ => letters.push(c.to_ascii_lowercase()),
        }
    }
    let is_date = letters != "general" && letters.contains(['y', 'm', 'd', 'h', 's']);
    is_date.then_some(ExcelDateTimeType::DateTime)
}

/// The text that a spreadsheet shows for an error.
pub(super) fn error_text(code: u8) -> &'static str {
    match code {
        0x00 => "#NULL!",
        0x07 => "#DIV/0!",
        0x0f => "#VALUE!",
        0x17 => "#REF!",
        0x1d => "#NAME?",
        0x24 => "#NUM!",
        _ => "#N/A",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u16, data: &[u8]) -> Vec<u8> {
        [&kind.to_le_bytes()[..], &(data.len() as u16).to_le_bytes(), data].concat()
    }

    #[test]
    fn a_text_that_goes_on_in_another_record_is_put_together() {
        // 홍 in two bytes; then AB in one byte each, after a record break; then a second text with formatting.
        let sst = record(SST, &[&[0; 8][..], &[3, 0, 1], &[0x4d, 0xd6]].concat());
        let more =
            record(CONTINUE, &[&[0][..], b"AB", &[1, 0, 8, 1, 0], b"x", &[0; 4], &[1, 0, 0], b"y"].concat());
        let stream = [sst, more].concat();
        let found = BiffRecords::new(&stream).next().expect("a record");
        assert_eq!(found.strings(), ["홍AB", "x", "y"]);
    }

    #[test]
    fn packed_numbers_are_unpacked() {
        assert_eq!(number(rk((101 << 2) | 2)), "101");
        assert_eq!(number(rk((10250 << 2) | 3)), "102.5");
        assert_eq!(number(rk(0x3ff0_0000)), "1");
        assert_eq!(number(rk(((-7_i32 << 2) | 2) as u32)), "-7");
    }

    fn number(n: f64) -> String {
        super::super::grid::number(n)
    }

    #[test]
    fn dates_are_told_by_their_format() {
        assert_eq!(date_kind(14, None), Some(ExcelDateTimeType::DateTime));
        assert_eq!(date_kind(46, None), Some(ExcelDateTimeType::TimeDelta));
        assert_eq!(date_kind(2, None), None);
        assert_eq!(date_kind(164, Some("yyyy\"년\" m\"월\"")), Some(ExcelDateTimeType::DateTime));
        assert_eq!(date_kind(164, Some("[h]:mm")), Some(ExcelDateTimeType::TimeDelta));
        for number in ["General", "0.00", "#,##0 \"days\"", "[Red]0", "0\\m", "_-* #,##0_-;[Red]-0"] {
            assert_eq!(date_kind(164, Some(number)), None, "{number}");
        }
    }

    #[test]
    fn a_stream_that_breaks_off_ends() {
        let stream = [record(LABEL, b"abc"), vec![4, 2, 200, 0, 1]].concat();
        assert_eq!(BiffRecords::new(&stream).count(), 1);
    }
}
