//! The frame around each event: its length and its bytes, each with a masked checksum (the format of TFRecord).

/// CRC-32C (Castagnoli), reflected.
const POLYNOMIAL: u32 = 0x82F6_3B78;

const TABLE: [u32; 256] = build_table();

const fn build_table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut value = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { (value >> 1) ^ POLYNOMIAL } else { value >> 1 };
            bit += 1;
        }
        table[byte] = value;
        byte += 1;
    }
    table
}

/// Appends an event to a file.
pub fn append_record(file: &mut Vec<u8>, event: &[u8]) {
    let length = (event.len() as u64).to_le_bytes();
    file.extend(length);
    file.extend(masked_checksum(&length).to_le_bytes());
    file.extend(event);
    file.extend(masked_checksum(event).to_le_bytes());
}

/// Masked, because checksums of bytes that hold checksums are weak.
fn masked_checksum(bytes: &[u8]) -> u32 {
    const MASK: u32 = 0xA282_EAD8;
    let fold = |sum: u32, byte: &u8| TABLE[((sum ^ u32::from(*byte)) & 0xFF) as usize] ^ (sum >> 8);
    let checksum = !bytes.iter().fold(u32::MAX, fold);
    checksum.rotate_right(15).wrapping_add(MASK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_check_word() {
        assert_eq!(masked_checksum(b"123456789"), 0xC78A_B0E5);
    }
}
