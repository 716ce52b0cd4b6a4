//! Opens zip archives safely, and detects their format.

use super::{Bytes, SheetContext, damaged, foreign};
use crate::jobs::intake::about::InputFormat;
use crate::jobs::intake::{IntakeProblem, MAX_UNPACKED_BYTES};
use memchr::memmem;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};
use zip::ZipArchive;
use zip::read::ZipFile;

/// Also checks that the archive unpacks within limits: it unpacks, since declared sizes may be wrong.
pub(super) fn inspect(bytes: &Bytes, context: &SheetContext<'_>) -> Result<InputFormat, IntakeProblem> {
    let mut zip = open(bytes)?;
    let names: Vec<String> = zip.file_names().filter_map(Result::ok).map(|n| n.to_lowercase()).collect();
    let has = |name: &str| names.iter().any(|n| n.trim_start_matches('/').replace('\\', "/") == name);
    let unsupported = |what| IntakeProblem::Unsupported { what };
    let format = if has("mimetype") && has("content.xml") {
        let mut mime = String::new();
        if let Ok(entry) = zip.by_name("mimetype") {
            let _ = entry.take(100).read_to_string(&mut mime);
        }
        match mime.trim() {
            "application/vnd.oasis.opendocument.spreadsheet"
            | "application/vnd.oasis.opendocument.spreadsheet-template" => InputFormat::Ods,
            _ => return Err(unsupported(localizable!("an OpenDocument file, not a spreadsheet"))),
        }
    } else if has("xl/workbook.xml") || names.iter().any(|n| n.ends_with("/workbook.xml")) {
        InputFormat::Xlsx
    } else if has("xl/workbook.bin") {
        return Err(unsupported(localizable!("a binary workbook (.xlsb)")));
    } else if has("word/document.xml") {
        return Err(unsupported(localizable!("a Word document")));
    } else if has("index/document.iwa")
        || names.iter().any(|n| n.starts_with("index/") && has_ending(n, "iwa"))
    {
        return Err(unsupported(localizable!("a Numbers document")));
    } else {
        return Err(unsupported(localizable!("a zip archive")));
    };
    measure(&mut zip, context)?;
    Ok(format)
}

pub(super) fn open(bytes: &Bytes) -> Result<ZipArchive<Bytes>, IntakeProblem> {
    ZipArchive::new(bytes.clone()).map_err(|e| damaged(tr_noop!("a spreadsheet"), foreign(&e)))
}

/// Only XML parts are ever unpacked, so pictures do not count.
fn is_read(name: &str) -> bool {
    has_ending(name, "xml") || has_ending(name, "rels")
}

fn has_ending(name: &str, ending: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, e)| e.eq_ignore_ascii_case(ending))
}

fn measure(zip: &mut ZipArchive<Bytes>, context: &SheetContext<'_>) -> Result<(), IntakeProblem> {
    let limit = MAX_UNPACKED_BYTES;
    let too_big = || IntakeProblem::TooBig { what: localizable!("an unpacked spreadsheet"), limit };
    let mut declared: u64 = 0;
    for at in 0..zip.len() {
        if let Ok(entry) = zip.by_index_raw(at)
            && entry.name().is_ok_and(|n| is_read(&n))
        {
            declared = declared.saturating_add(entry.size());
        }
    }
    if declared > limit {
        return Err(too_big());
    }
    let mut left = limit;
    for at in 0..zip.len() {
        context.unless_cancelled()?;
        let Ok(entry) = zip.by_index(at) else { continue };
        let Ok(name) = entry.name().map(|n| n.to_ascii_lowercase()) else { continue };
        if !is_read(&name) {
            continue;
        }
        // A truncated part is the reader's error, if it needs that part.
        let mut entry = entry.take(left.saturating_add(1));
        let unpacked = if name.ends_with("sharedstrings.xml") {
            shared_strings(&mut entry)?
        } else {
            io::copy(&mut entry, &mut io::sink()).unwrap_or(0)
        };
        left = left.checked_sub(unpacked).ok_or_else(too_big)?;
    }
    Ok(())
}

/// The reader allocates for the declared number of strings, so an implausible number is refused.
fn shared_strings(entry: &mut dyn Read) -> Result<u64, IntakeProblem> {
    let mut counted = Counted { inner: entry, bytes: 0 };
    let mut declared: u64 = 0;
    let _ = elements(&mut reader(BufReader::new(&mut counted)), |e| {
        let is_other = e.local_name().as_ref() != "sst";
        if !is_other {
            declared = attribute(e, "uniqueCount").and_then(|n| n.trim().parse().ok()).unwrap_or(0);
        }
        is_other.then_some(())
    });
    let _ = io::copy(&mut counted, &mut io::sink());
    // The shortest string is `<si/>`.
    if declared > counted.bytes / 5 + 1 {
        return Err(damaged(
            tr_noop!("an Excel workbook"),
            localizable!("it declares more strings than it can contain"),
        ));
    }
    Ok(counted.bytes)
}

struct Counted<'a> {
    inner: &'a mut dyn Read,
    bytes: u64,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.bytes += read as u64;
        Ok(read)
    }
}

/// Accepts malformed nesting.
pub(super) fn reader<R: Read>(source: BufReader<R>) -> Reader<BufReader<R>> {
    let mut xml = Reader::from_reader(source);
    let config = xml.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.expand_empty_elements = true;
    xml
}

/// Calls `each` for the start of every element. `None` if the rest cannot be read, or `each` needs no more of it.
pub(super) fn elements<R: BufRead>(
    xml: &mut Reader<R>,
    mut each: impl FnMut(&BytesStart<'_>) -> Option<()>,
) -> Option<()> {
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match xml.read_event_into(&mut buffer).ok()? {
            Event::Start(e) => each(&e)?,
            Event::Eof => return Some(()),
            _ => {}
        }
    }
}

/// `None` if the part does not exist.
pub(super) fn part<'a>(
    zip: &'a mut ZipArchive<Bytes>,
    name: &str,
) -> Option<Reader<BufReader<io::Take<ZipFile<'a, Bytes>>>>> {
    let wanted = name.trim_start_matches('/');
    let found = zip
        .file_names()
        .filter_map(Result::ok)
        .find(|n| n.trim_start_matches('/').replace('\\', "/").eq_ignore_ascii_case(wanted))
        .map(Cow::into_owned)?;
    let entry = zip.by_name(&found).ok()?;
    Some(reader(BufReader::new(entry.take(MAX_UNPACKED_BYTES))))
}

/// Whether a part has one of the words of each group, anywhere. `None` if the part does not exist or cannot be read.
pub(super) fn mentions<const N: usize>(
    zip: &mut ZipArchive<Bytes>,
    name: &str,
    groups: [&[&str]; N],
) -> Option<[bool; N]> {
    let mut xml = part(zip, name)?.into_inner();
    let longest = groups.iter().flat_map(|words| words.iter()).map(|word| word.len()).max().unwrap_or(0);
    let mut found = [false; N];
    let mut piece = vec![0; 64 * 1024];
    let mut kept = 0;
    loop {
        let read = xml.read(piece.get_mut(kept..)?).ok()?;
        let filled = kept + read;
        let text = piece.get(..filled)?;
        // Two bytes a letter: the parser decides.
        if kept == 0 && (text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff")) {
            return Some([true; N]);
        }
        for (found, words) in found.iter_mut().zip(groups) {
            *found = *found || words.iter().any(|word| memmem::find(text, word.as_bytes()).is_some());
        }
        if read == 0 {
            return Some(found);
        }
        // A word may be in two pieces.
        kept = filled.min(longest);
        piece.copy_within(filled - kept..filled, 0);
    }
}

/// The value of an attribute by its local name, unescaped.
pub(super) fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = element.attributes();
    attributes.with_checks(false);
    let found = attributes.flatten().find(|a| a.key.local_name().as_ref() == name)?;
    Some(
        found
            .normalized_value(quick_xml::XmlVersion::Implicit1_0)
            .map_or_else(|_| found.value.to_string(), Cow::into_owned),
    )
}
