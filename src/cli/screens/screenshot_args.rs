//! Arguments of `screenshot`.

use clap::Args;

use crate::cli::addressing::target_args::OneRun;

/// Arguments of `screenshot`, for one run.
#[derive(Debug, Args)]
pub struct ScreenshotArgs {
    /// The run to draw, by name or folder.
    #[command(flatten)]
    pub run: OneRun,
    /// Columns and rows
    #[arg(long, default_value = "120x40", value_parser = columns_and_rows)]
    pub size: (u16, u16),
    /// Colours
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,
    /// The whole course of the run as one animated picture of so many frames
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(2..=200))]
    pub frames: Option<u16>,
}

fn columns_and_rows(text: &str) -> Result<(u16, u16), String> {
    text.split_once('x')
        .and_then(|(columns, rows)| Some((columns.parse().ok()?, rows.parse().ok()?)))
        .ok_or_else(|| "columns and rows look like `120x40`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_columns_by_rows() {
        assert_eq!(columns_and_rows("80x24"), Ok((80, 24)));
        assert!(columns_and_rows("80").is_err());
    }
}
