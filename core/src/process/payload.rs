//! What a process reads on its standard input.

use super::lent::Lent;
#[cfg(unix)]
use std::io::IoSlice;
use std::ops::Range;
use std::sync::Arc;

/// Bytes made of pieces of shared memory.
///
/// Cloning a payload copies a list of references and never the bytes: one large event, cut at the places
/// where a few bytes are inserted, serves any number of processes. The memory stays alive until the last
/// payload that refers to it is gone. A payload may be built and read on any thread.
#[derive(Clone, Debug, Default)]
pub struct Payload {
    chunks: Vec<Chunk>,
    len: usize,
}

/// One piece, which keeps its memory alive.
#[derive(Clone, Debug)]
pub struct Chunk {
    memory: Memory,
    range: Range<usize>,
}

#[derive(Clone, Debug)]
enum Memory {
    Text(Arc<Lent<String>>),
    Bytes(Arc<[u8]>),
    Owned(Arc<Lent<Vec<u8>>>),
}

impl Chunk {
    fn bytes(&self) -> &[u8] {
        let whole = match &self.memory {
            Memory::Text(text) => text.as_bytes(),
            Memory::Bytes(bytes) => bytes,
            Memory::Owned(bytes) => bytes,
        };
        whole.get(self.range.clone()).unwrap_or_default()
    }
}

impl AsRef<[u8]> for Chunk {
    fn as_ref(&self) -> &[u8] {
        self.bytes()
    }
}

impl Payload {
    /// An empty payload: the process finds its input at its end.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends the bytes `range` of `text`, without copying them. A range that reaches beyond the text is cut
    /// at its end.
    pub fn push_text(&mut self, text: Arc<Lent<String>>, range: Range<usize>) {
        let len = text.len();
        self.append(Memory::Text(text), len, range);
    }

    /// Appends the bytes `range` of `bytes`, without copying them. A range that reaches beyond them is cut at
    /// their end.
    pub fn push_shared(&mut self, bytes: Arc<[u8]>, range: Range<usize>) {
        let len = bytes.len();
        self.append(Memory::Bytes(bytes), len, range);
    }

    /// Appends bytes of their own, without copying them.
    pub fn push_owned(&mut self, bytes: impl Into<Vec<u8>>) {
        let bytes = bytes.into();
        let len = bytes.len();
        self.append(Memory::Owned(Arc::new(Lent::new(bytes))), len, 0..len);
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is nothing to read.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The pieces, in order.
    pub fn chunks(&self) -> impl Iterator<Item = &[u8]> {
        self.chunks.iter().map(Chunk::bytes)
    }

    /// The pieces, for a sender other than a process.
    pub fn into_chunks(self) -> Vec<Chunk> {
        self.chunks
    }

    /// All the bytes in one piece of memory; for messages and tests.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut all = Vec::with_capacity(self.len);
        self.chunks().for_each(|chunk| all.extend_from_slice(chunk));
        all
    }

    fn append(&mut self, memory: Memory, len: usize, range: Range<usize>) {
        let end = range.end.min(len);
        let range = range.start.min(end)..end;
        if !range.is_empty() {
            self.len = self.len.saturating_add(range.len());
            self.chunks.push(Chunk { memory, range });
        }
    }
}

#[cfg(unix)]
impl Payload {
    /// Fills `slices` with what follows `at`; returns how many were filled.
    pub(super) fn gather<'a>(&'a self, at: Position, slices: &mut [IoSlice<'a>]) -> usize {
        let mut filled = 0;
        let mut skip = at.offset;
        for (slot, chunk) in slices.iter_mut().zip(self.chunks.iter().skip(at.chunk)) {
            *slot = IoSlice::new(chunk.bytes().get(skip..).unwrap_or_default());
            skip = 0;
            filled += 1;
        }
        filled
    }

    /// How the bytes from `at` on get into a pipe without being copied: `None` when too few of them are left in their
    /// piece, or its memory cannot be lent.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) fn next(&self, at: Position) -> Option<Next<'_>> {
        let chunk = self.chunks.get(at.chunk)?;
        let rest = chunk.bytes().get(at.offset..)?;
        let pages = super::lent::whole_pages(rest);
        if pages.is_empty() || matches!(chunk.memory, Memory::Bytes(_)) {
            return None;
        }
        Some(if pages.start > 0 { Next::Edge(rest.get(..pages.start)?) } else { Next::Pages(chunk, rest) })
    }

    /// The position `written` bytes after `at`.
    pub(super) fn forward(&self, at: Position, written: usize) -> Position {
        let mut offset = at.offset.saturating_add(written);
        let mut chunk = at.chunk;
        for piece in self.chunks.iter().skip(at.chunk) {
            let len = piece.range.len();
            if offset < len {
                break;
            }
            offset -= len;
            chunk += 1;
        }
        Position { chunk, offset }
    }

    /// Whether `at` is the end.
    pub(super) fn is_end(&self, at: Position) -> bool {
        at.chunk >= self.chunks.len()
    }
}

/// The next bytes of a payload that is not copied.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) enum Next<'a> {
    /// What lies before the first whole page.
    Edge(&'a [u8]),
    /// A piece, and the part of it that starts with whole pages.
    Pages(&'a Chunk, &'a [u8]),
}

#[cfg(any(target_os = "linux", target_os = "android"))]
impl Chunk {
    /// Puts the whole pages that `bytes`, a part of this piece, starts with into a pipe.
    pub(super) fn splice(&self, bytes: &[u8], fd: &rustix::fd::OwnedFd) -> Result<usize, rustix::io::Errno> {
        match &self.memory {
            Memory::Text(text) => text.splice(bytes, fd),
            Memory::Owned(owned) => owned.splice(bytes, fd),
            Memory::Bytes(_) => Err(rustix::io::Errno::INVAL),
        }
    }
}

/// A place in a payload.
#[cfg(unix)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Position {
    chunk: usize,
    offset: usize,
}

impl From<Vec<u8>> for Payload {
    fn from(bytes: Vec<u8>) -> Self {
        let mut payload = Self::new();
        payload.push_owned(bytes);
        payload
    }
}

impl From<String> for Payload {
    fn from(text: String) -> Self {
        Self::from(text.into_bytes())
    }
}

impl From<&str> for Payload {
    fn from(text: &str) -> Self {
        Self::from(text.as_bytes().to_vec())
    }
}

impl From<Arc<Lent<String>>> for Payload {
    fn from(text: Arc<Lent<String>>) -> Self {
        let mut payload = Self::new();
        let len = text.len();
        payload.push_text(text, 0..len);
        payload
    }
}

impl From<Arc<[u8]>> for Payload {
    fn from(bytes: Arc<[u8]>) -> Self {
        let mut payload = Self::new();
        let len = bytes.len();
        payload.push_shared(bytes, 0..len);
        payload
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn pieces_and_positions() {
        let mut payload = Payload::new();
        let event = Arc::new(Lent::new("{\"a\":1}".to_owned()));
        payload.push_text(event.clone(), 0..6);
        payload.push_owned(",\"b\":2");
        payload.push_text(event.clone(), 6..100);
        payload.push_text(event, 3..3);
        assert_eq!(payload.to_vec(), b"{\"a\":1,\"b\":2}");
        assert_eq!(payload.len(), 13);
        let mut slices = [IoSlice::new(&[]); 8];
        let at = payload.forward(Position::default(), 9);
        assert_eq!(payload.gather(at, &mut slices), 2);
        assert_eq!(slices.iter().flat_map(|slice| slice.iter().copied()).collect::<Vec<_>>(), b"\":2}");
        assert!(payload.is_end(payload.forward(at, 4)));
        assert!(Payload::from(String::new()).is_end(Position::default()));
    }
}
