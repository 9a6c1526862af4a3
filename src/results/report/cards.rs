//! The GPUs of the run as a table: which they are, and how they were used.

use std::fmt::Write;

use super::escape::escape_markup;
use crate::model::ids::GpuIndex;
use crate::model::machine::sample::{GpuCard, GpuInventory};
use crate::model::units::UNKNOWN;
use crate::results::measured::measures::{GpuMeasures, RunMeasures};
use crate::results::measured::tally::ReadingStats;
use crate::results::scale::{format_bytes, format_percent, format_short};

/// The table; empty if no GPU was read.
pub fn render_gpu_table(measured: &RunMeasures, inventory: Option<&GpuInventory>) -> String {
    if measured.gpus.is_empty() {
        return String::new();
    }
    let mut html = String::from(
        "<div class=\"wide\" tabindex=\"0\"><table class=\"cards\"><thead><tr><th>GPU</th><th class=\"text\">model</th><th>VRAM</th><th>power</th>\
         <th>temperature</th><th>utilisation</th><th>clocks held back</th><th>energy</th></tr></thead><tbody>\n",
    );
    for (number, (index, gpu)) in measured.gpus.iter().enumerate() {
        let card = inventory.and_then(|inventory| find_card(inventory, *index));
        write_gpu_row(&mut html, number, (*index, gpu), card);
    }
    html.push_str("</tbody></table></div>\n<p class=\"legend\">Mean, and the most after the bar. ");
    if let Some(GpuInventory::Present { driver, .. }) = inventory {
        let _ = write!(html, "Driver {}. ", escape_markup(driver));
    }
    html.push_str(
        "In the pictures a line is the mean, the band around it goes from the least to the most.</p>\n",
    );
    html
}

fn find_card(inventory: &GpuInventory, index: GpuIndex) -> Option<&GpuCard> {
    inventory.cards().iter().find(|card| card.index == index)
}

fn write_gpu_row(
    html: &mut String,
    number: usize,
    (index, gpu): (GpuIndex, &GpuMeasures),
    card: Option<&GpuCard>,
) {
    let or_unknown = |text: Option<String>| text.unwrap_or_else(|| UNKNOWN.to_owned());
    let of = |limit: Option<String>| limit.map(|limit| format!(" of {limit}")).unwrap_or_default();
    let _ = write!(
        html,
        "<tr><th scope=\"row\"><span class=\"key s{}\"></span>{index}</th><td class=\"text\">{}</td>",
        number % 8,
        escape_markup(card.map_or(UNKNOWN, |card| card.name.as_str()))
    );
    let total = gpu.vram_total.peak().map(format_bytes);
    for cell in [
        or_unknown(mean_and_peak(&gpu.vram.whole, format_bytes).map(|both| both + &of(total))),
        or_unknown(
            mean_and_peak(&gpu.power.whole, |watts| format!("{watts:.0}"))
                .map(|both| format!("{both}{} W", of(gpu.power_cap.peak().map(|cap| format!("{cap:.0}"))))),
        ),
        or_unknown(
            mean_and_peak(&gpu.temperature.whole, |degrees| format!("{degrees:.0}")).map(|both| both + " °C"),
        ),
        or_unknown(
            mean_and_peak(&gpu.utilization.whole, |share| format!("{share:.0}")).map(|both| both + " %"),
        ),
        or_unknown(gpu.throttled.whole.mean().map(|share| format_percent(share / 100.0))),
        or_unknown(gpu.energy_j.map(|joules| format!("{} Wh", format_short(joules / 3600.0)))),
    ] {
        let _ = write!(html, "<td>{}</td>", escape_markup(&cell));
    }
    html.push_str("</tr>\n");
}

/// `4.2 GiB | 9.8 GiB`: the mean and the most.
fn mean_and_peak(tally: &ReadingStats, shown: impl Fn(f64) -> String) -> Option<String> {
    Some(format!("{} | {}", shown(tally.mean()?), shown(tally.peak()?)))
}
