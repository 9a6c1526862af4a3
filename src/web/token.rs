//! The secret in the address of a page.

use rustix::rand::{GetRandomFlags, getrandom};

/// 128 bits: nobody guesses it.
const BYTES: usize = 16;

/// A secret that opens a page.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Draws a new one.
    pub fn generate() -> std::io::Result<Self> {
        let mut bytes = [0_u8; BYTES];
        let mut filled = 0;
        while filled < BYTES {
            filled += getrandom(&mut bytes[filled..], GetRandomFlags::empty())?;
        }
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// The token as it is written in an address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Compares in a time that says nothing about where the texts differ.
    pub fn matches(&self, given: &str) -> bool {
        let pairs = self.0.bytes().zip(given.bytes());
        let difference = pairs.fold(0, |sum, (own, other)| sum | (own ^ other));
        self.0.len() == given.len() && difference == 0
    }
}

#[cfg(test)]
impl Token {
    pub(in crate::web) fn of(text: &str) -> Self {
        Self(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_another_and_only_the_whole_matches() {
        let token = Token::generate().unwrap();
        assert_eq!(token.as_str().len(), 2 * BYTES);
        assert!(token != Token::generate().unwrap());
        assert!(token.matches(token.as_str()));
        assert!(!token.matches(&token.as_str()[1..]) && !token.matches("") && !Token::of("ab").matches("ac"));
    }
}
