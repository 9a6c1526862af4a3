//! The name of a metric: many marks carry one, so that a copy must cost nothing.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The name of a metric.
#[derive(Clone)]
pub enum MetricName {
    /// A program's own word for it.
    Fixed(&'static str),
    /// Made from text of a log, a file or a sweep.
    Made(Arc<str>),
}

impl Deref for MetricName {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Fixed(name) => name,
            Self::Made(name) => name,
        }
    }
}

impl PartialEq for MetricName {
    fn eq(&self, other: &Self) -> bool {
        // Most are copies of one another, which comparing the pointers shows without reading the text.
        std::ptr::eq::<str>(&**self, &**other) || **self == **other
    }
}

impl Eq for MetricName {}

impl fmt::Debug for MetricName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}

impl From<&'static str> for MetricName {
    fn from(name: &'static str) -> Self {
        Self::Fixed(name)
    }
}

impl From<String> for MetricName {
    fn from(name: String) -> Self {
        Self::Made(name.into())
    }
}

impl Serialize for MetricName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for MetricName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}
