//! The key that leaves a shard's terminal: `Ctrl-\` once leaves, twice sends one on.

/// The byte of `Ctrl-\`.
const KEY: u8 = 0x1c;

/// Fate of typed bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypedBytes {
    /// The bytes are for the shard; perhaps none.
    Send(Vec<u8>),
    /// The user leaves, after these bytes.
    Leave(Vec<u8>),
}

/// Watches what is typed for the key.
#[derive(Debug, Default)]
pub struct DetachKey {
    /// Whether the key was pressed once, so that the next byte decides.
    pressed: bool,
}

impl DetachKey {
    /// Takes typed bytes and separates the key from them.
    pub fn filter_typed(&mut self, typed: &[u8]) -> TypedBytes {
        let mut send = Vec::with_capacity(typed.len());
        for byte in typed {
            match (self.pressed, *byte == KEY) {
                (false, true) => self.pressed = true,
                (false, false) => send.push(*byte),
                (true, true) => {
                    self.pressed = false;
                    send.push(KEY);
                }
                (true, false) => return TypedBytes::Leave(send),
            }
        }
        TypedBytes::Send(send)
    }

    /// The key was pressed once and nothing has followed: after a moment that means leaving.
    pub fn is_pending(&self) -> bool {
        self.pressed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn once_leaves_and_twice_sends_one_on() {
        let mut key = DetachKey::default();
        assert_eq!(key.filter_typed(b"ls\n"), TypedBytes::Send(b"ls\n".to_vec()));
        assert_eq!(key.filter_typed(b"a\x1c\x1cb"), TypedBytes::Send(b"a\x1cb".to_vec()));
        assert_eq!(key.filter_typed(b"c\x1c"), TypedBytes::Send(b"c".to_vec()));
        assert!(key.is_pending());
        assert_eq!(key.filter_typed(b"\x1c"), TypedBytes::Send(b"\x1c".to_vec()));
        assert!(!key.is_pending());
        assert_eq!(key.filter_typed(b"d\x1ce"), TypedBytes::Leave(b"d".to_vec()));
    }
}
