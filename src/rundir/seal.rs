//! The seal of a journal line: its number and a checksum, the last two fields of its object.

/// `,"crc":"` and `"}` with eight hex digits between them.
const CRC_LENGTH: usize = 18;
const CRC_FIELD: &[u8] = b",\"crc\":\"";
const NUMBER_FIELD: &[u8] = b",\"seq\":";

/// State of a line's seal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seal {
    /// Lines of earlier versions have none.
    Absent,
    /// The checksum fits.
    Sound {
        /// Number of the line, from 1.
        number: u64,
    },
    /// The checksum does not fit, or nothing is sealed by it.
    Broken,
}

/// Seals the line that begins at `start` and ends with the `}` of its object.
pub(super) fn seal_line(text: &mut Vec<u8>, start: usize, number: u64) {
    text.pop();
    text.extend_from_slice(NUMBER_FIELD);
    text.extend_from_slice(number.to_string().as_bytes());
    let sum = crc32fast::hash(&text[start..]);
    text.extend_from_slice(CRC_FIELD);
    text.extend_from_slice(format!("{sum:08x}\"}}").as_bytes());
}

/// Checks a line without its newline.
pub(super) fn check_seal(line: &[u8]) -> Seal {
    let Some((sealed, field)) = line.len().checked_sub(CRC_LENGTH).map(|at| line.split_at(at)) else {
        return Seal::Absent;
    };
    let Some(digits) = field.strip_prefix(CRC_FIELD).and_then(|rest| rest.strip_suffix(b"\"}")) else {
        return Seal::Absent;
    };
    match line_number(sealed) {
        Some(number) if digits == format!("{:08x}", crc32fast::hash(sealed)).as_bytes() => {
            Seal::Sound { number }
        }
        Some(_) | None => Seal::Broken,
    }
}

/// The number at the end of what is sealed.
fn line_number(sealed: &[u8]) -> Option<u64> {
    let digits = sealed.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (before, digits) = sealed.split_at(sealed.len() - digits);
    before.ends_with(NUMBER_FIELD).then(|| str::from_utf8(digits).ok()?.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(text: &str, number: u64) -> Vec<u8> {
        let mut line = text.as_bytes().to_vec();
        seal_line(&mut line, 0, number);
        line
    }

    #[test]
    fn a_sealed_line_is_json_and_knows_its_number() {
        let line = sealed("{\"at\":\"x\",\"text\":\"a\"}", 12);
        assert_eq!(check_seal(&line), Seal::Sound { number: 12 });
        let value: serde_json::Value = serde_json::from_slice(&line).unwrap();
        assert_eq!((&value["text"], &value["seq"]), (&"a".into(), &12.into()));
        assert_eq!(check_seal(b"{\"at\":\"x\"}"), Seal::Absent);
        assert_eq!(check_seal(b"{}"), Seal::Absent);
    }

    #[test]
    fn no_flipped_bit_passes_for_a_sound_line() {
        let line = sealed("{\"at\":\"x\",\"text\":\"a\"}", 7);
        for bit in 0..line.len() * 8 {
            let mut flipped = line.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(!matches!(check_seal(&flipped), Seal::Sound { .. }), "bit {bit}");
        }
    }
}
