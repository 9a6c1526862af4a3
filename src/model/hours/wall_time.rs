//! Moments of the wall clock as people read them.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The time of day, with the day where it is another one: `14:02` or `Nov 22 14:02`; of another year the day alone.
pub fn format_moment(at: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    let (at, now) = (at.to_zoned(zone.clone()), now.to_zoned(zone.clone()));
    let form = if at.date() == now.date() {
        "%H:%M"
    } else if at.year() == now.year() {
        "%b %-d %H:%M"
    } else {
        "%Y-%m-%d"
    };
    at.strftime(form).to_string()
}
