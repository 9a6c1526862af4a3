//! Whose memory it was: the processes that PyTorch names when a GPU is full.

use memchr::memmem;

use crate::model::outcome::MemoryHolder;
use crate::model::units::Bytes;
use crate::progress::text::number::leading_f64;
use crate::progress::text::number::leading_u64;

/// More tenants than that do not share one card.
const MOST_HOLDERS: usize = 16;

/// The holders in `… Process 574341 has 18.41 GiB memory in use. Process 99 has …`; the failing process calls itself
/// `this process` and is not among them.
pub fn memory_holders(line: &[u8]) -> Vec<MemoryHolder> {
    let mut holders = Vec::new();
    for at in memmem::find_iter(line, b"Process ").take(MOST_HOLDERS) {
        holders.extend(holder(&line[at + b"Process ".len()..]));
    }
    holders
}

fn holder(text: &[u8]) -> Option<MemoryHolder> {
    let (pid, rest) = leading_u64(text)?;
    let rest = rest.strip_prefix(b" has ")?;
    let amount = leading_f64(rest)?;
    let unit = &rest[memchr::memchr(b' ', rest)? + 1..];
    let factor = [("KiB", 10), ("MiB", 20), ("GiB", 30)]
        .into_iter()
        .find_map(|(name, shift)| unit.starts_with(name.as_bytes()).then_some((1_u64 << shift) as f64))?;
    let known = unit[3..].starts_with(b" memory in use") && amount >= 0.0;
    let (pid, held) = (u32::try_from(pid).ok()?, Bytes((amount * factor) as u64));
    known.then_some(MemoryHolder { pid, held, stranger: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_processes_are_named_with_what_they_hold() {
        let line = b"CUDA out of memory. Tried to allocate 128.00 MiB. GPU 0 has a total capacity of 23.69 GiB of \
            which 11.31 MiB is free. Process 574341 has 18.50 GiB memory in use. Process 12 has 512.00 MiB memory in \
            use. Including non-PyTorch memory, this process has 5.11 GiB memory in use.";
        let held = |pid, bytes| MemoryHolder { pid, held: Bytes(bytes), stranger: false };
        assert_eq!(memory_holders(line), [held(574_341, 37 << 29), held(12, 512 << 20)]);
        assert_eq!(memory_holders(b"Process 12 has 3 children. Process has 1.0 GiB memory in use"), []);
        assert_eq!(memory_holders(b"Process 12 has "), []);
    }
}
