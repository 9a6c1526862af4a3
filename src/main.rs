//! The `sweepdeck` program: hands the command line to `cli` and ends with its exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    sweepdeck::cli::dispatch::main()
}
