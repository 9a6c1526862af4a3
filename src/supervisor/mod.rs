//! The background scheduler of one run: hears, decides, records, acts.
