//! Fields of a message in the encoding of protocol buffers: the few kinds that events have.

/// A message that grows field by field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message(Vec<u8>);

impl Message {
    /// Bytes of the message.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Adds an integer; a negative one takes ten bytes.
    #[must_use]
    pub fn integer(mut self, field: u32, value: i64) -> Self {
        self.key(field, 0);
        self.varint(value.cast_unsigned());
        self
    }

    /// Adds a number of eight bytes.
    #[must_use]
    pub fn double(mut self, field: u32, value: f64) -> Self {
        self.key(field, 1);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// Adds a number of four bytes.
    #[must_use]
    pub fn float(mut self, field: u32, value: f32) -> Self {
        self.key(field, 5);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// Adds a text.
    #[must_use]
    pub fn text(self, field: u32, value: &str) -> Self {
        self.block(field, value.as_bytes())
    }

    /// Adds a message.
    #[must_use]
    pub fn message(self, field: u32, value: &Self) -> Self {
        self.block(field, &value.0)
    }

    /// Adds so many zero bytes.
    #[must_use]
    pub fn zeros(self, field: u32, count: usize) -> Self {
        self.block(field, &vec![0; count])
    }

    fn block(mut self, field: u32, value: &[u8]) -> Self {
        self.key(field, 2);
        self.varint(value.len() as u64);
        self.0.extend(value);
        self
    }

    fn key(&mut self, field: u32, wire: u32) {
        self.varint(u64::from(field << 3 | wire));
    }

    fn varint(&mut self, mut value: u64) {
        while value > 0x7F {
            self.0.push((value & 0x7F) as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_as_the_encoding_has_it() {
        assert_eq!(Message::default().integer(2, 300).bytes(), [0x10, 0xAC, 0x02]);
        assert_eq!(Message::default().integer(2, -1).bytes().len(), 11);
        assert_eq!(Message::default().text(3, "ab").bytes(), [0x1A, 2, b'a', b'b']);
        assert_eq!(Message::default().float(2, 1.0).bytes(), [0x15, 0, 0, 0x80, 0x3F]);
        let inner = Message::default().integer(1, 1);
        assert_eq!(Message::default().message(1, &inner).bytes(), [0x0A, 2, 0x08, 1]);
    }
}
