//! `--at`: a moment of the wall clock as people write it.

use jiff::civil::{DateTime, Time};
use jiff::{Timestamp, Zoned};

/// The moment that `22:00`, `2026-11-23 22:00` or a time with its zone (`2026-11-23T22:00Z`) means; a time alone is the next
/// one of that name. One that has passed is refused.
pub fn parse_start(text: &str, now: &Zoned) -> Result<Timestamp, String> {
    let text = text.trim();
    let moment = match text.parse::<Timestamp>() {
        Ok(moment) => moment,
        Err(_) => parse_civil(text, now)?,
    };
    if moment <= now.timestamp() {
        return Err(format!("{text} has passed"));
    }
    Ok(moment)
}

fn parse_civil(text: &str, now: &Zoned) -> Result<Timestamp, String> {
    let wrong = || format!("`{text}` is no time: write 22:00, or \"2026-11-23 22:00\"");
    let zone = now.time_zone();
    // Of an hour that comes twice the first is meant, and of one that is left out the one after it.
    let moment = |civil: DateTime| Ok(civil.to_zoned(zone.clone()).map_err(|_| wrong())?.timestamp());
    if text.contains('-') {
        return moment(text.parse::<DateTime>().map_err(|_| wrong())?);
    }
    let time: Time = text.parse().map_err(|_| wrong())?;
    let today = moment(now.date().to_datetime(time))?;
    if today > now.timestamp() {
        return Ok(today);
    }
    moment(now.date().tomorrow().map_err(|_| wrong())?.to_datetime(time))
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;

    #[test]
    fn a_time_alone_is_the_next_one_of_that_name() {
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let now = "2026-11-22T21:30".parse::<DateTime>().unwrap().to_zoned(zone.clone()).unwrap();
        let show = |text: &str| {
            parse_start(text, &now).map(|at| at.to_zoned(zone.clone()).strftime("%m-%d %H:%M:%S").to_string())
        };
        assert_eq!(show("22:00"), Ok("11-22 22:00:00".to_owned()));
        assert_eq!(show("21:30"), Ok("11-23 21:30:00".to_owned()));
        assert_eq!(show("06:00:30"), Ok("11-23 06:00:30".to_owned()));
        assert_eq!(show("2026-12-24 08:15"), Ok("12-24 08:15:00".to_owned()));
        assert_eq!(show("2026-11-22T21:00Z"), Ok("11-22 22:00:00".to_owned()));
        assert_eq!(show("2026-11-22 21:00"), Err("2026-11-22 21:00 has passed".to_owned()));
        for wrong in ["", "ten", "25:00", "2026-13-01 10:00"] {
            assert!(show(wrong).unwrap_err().contains("is no time"), "{wrong}");
        }
    }
}
