//! Which GPUs of the machine a run may use: what its start inherited, and what is chosen within that.

use serde::{Deserialize, Serialize};

use super::sample::{GpuCard, GpuInventory};
use crate::model::ids::GpuIndex;

/// The variable that restricts CUDA programs.
const CUDA: &str = "CUDA_VISIBLE_DEVICES";

/// The variable that determines how CUDA numbers GPUs.
const CUDA_ORDER: &str = "CUDA_DEVICE_ORDER";

/// The variable that names the GPUs of a container.
const CONTAINER: &str = "NVIDIA_VISIBLE_DEVICES";

/// Why a GPU gets no shards that `devices`, `--gpus` or `set --gpus` leaves out.
pub const NOT_CHOSEN: &str = "not chosen for this run";

/// Variables in the environment of a start that restrict GPUs; no value where one is not set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InheritedGpus {
    /// Value of `CUDA_VISIBLE_DEVICES`, if set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cuda: Option<String>,
    /// Value of `CUDA_DEVICE_ORDER`, if set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
    /// Value of `NVIDIA_VISIBLE_DEVICES`, if set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// Names of the GPUs that this came to when the run was created. A number may be another card's after a reboot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<Vec<String>>,
}

/// The GPUs that may be used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GpuPermit {
    /// Cards in PCI-bus order.
    pub cards: Vec<GpuCard>,
    /// The other cards, each with the reason.
    pub withheld: Vec<(GpuIndex, String)>,
    /// Restrictions that led to them, such as `CUDA_VISIBLE_DEVICES=2,3`; empty where all may be used.
    pub because: Vec<String>,
    /// Warnings of settings that a user may not have meant.
    pub warnings: Vec<String>,
}

impl InheritedGpus {
    /// The variables of an environment.
    pub fn from_env(variable: impl Fn(&str) -> Option<String>) -> Self {
        Self {
            cuda: variable(CUDA),
            order: variable(CUDA_ORDER),
            container: variable(CONTAINER),
            resolved: None,
        }
    }

    /// Reports whether nothing was inherited.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The cards of the machine that may be used.
    pub fn build_permit(&self, cards: &[GpuCard]) -> GpuPermit {
        let is_open = |card: &&GpuCard| card.withheld.is_none();
        // CUDA numbers those that it can open.
        let mut permit =
            GpuPermit { cards: cards.iter().filter(is_open).cloned().collect(), ..GpuPermit::default() };
        for card in cards {
            permit.withheld.extend(card.withheld.clone().map(|reason| (card.index, reason)));
        }
        let visible = permit.cards.clone();
        if let Some(value) = &self.cuda {
            let seen = match &self.resolved {
                Some(_) => None,
                None => Some(self.seen_by_cuda(value, &visible, &mut permit.warnings)),
            };
            permit.restrict_to(&format!("{CUDA}={value}"), seen);
        }
        let in_container =
            self.container.as_ref().and_then(|value| Some((value, container_gpus(value, &visible)?)));
        if let Some((value, given)) = in_container {
            permit.restrict_to(
                &format!("{CONTAINER}={value}"),
                Some(given).filter(|_| self.resolved.is_none()),
            );
        }
        if let Some(names) = &self.resolved {
            let kept = visible.iter().filter(|card| names.contains(&card.own_name()));
            let kept = kept.map(|card| card.index).collect();
            permit.restrict_to("", Some(kept));
        }
        permit
    }

    /// Returns the cards that CUDA shows for its variable: a list ends at the first entry that names no card, and one
    /// with an entry twice names none (`torch.cuda._parse_visible_devices` does the same).
    fn seen_by_cuda(&self, value: &str, cards: &[GpuCard], warnings: &mut Vec<String>) -> Vec<GpuIndex> {
        let entries: Vec<&str> = value.split(',').map(str::trim).collect();
        if value.trim_start().starts_with("MIG-") {
            warnings.push(format!("{CUDA} names a MIG instance ({value}), which sweepdeck cannot schedule"));
            return Vec::new();
        }
        let by_name = value.trim_start().starts_with("GPU-");
        let mut seen = Vec::new();
        for entry in &entries {
            let card = if by_name { by_prefix(entry, cards).ok() } else { by_number(entry, cards) };
            let Some(card) = card else {
                if !matches!(*entry, "" | "-1") {
                    warnings.push(format!(
                        "`{entry}` in {CUDA}={value} names no GPU here: CUDA ignores it and what follows"
                    ));
                }
                break;
            };
            seen.push(card.index);
        }
        let mut sorted = seen.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.len() < seen.len() {
            warnings.push(format!("{CUDA}={value} names a GPU twice: CUDA then shows none"));
            return Vec::new();
        }
        let is_other = match self.order.as_deref() {
            Some("PCI_BUS_ID") => false,
            Some(_) => true,
            None => cards.iter().any(|card| card.name != cards[0].name),
        };
        if is_other && !by_name && !seen.is_empty() {
            let order = self.order.as_deref().unwrap_or("not set");
            warnings.push(format!(
                "the numbers in {CUDA}={value} are taken in PCI bus order, and {CUDA_ORDER} is {order}: \
                 set it to PCI_BUS_ID, or name GPUs by their UUIDs"
            ));
        }
        seen
    }
}

/// The cards that a container was given; `None` if the variable does not restrict it. Inside a container with
/// cards of its own their numbers are others than those of the host, which the variable has.
fn container_gpus(value: &str, cards: &[GpuCard]) -> Option<Vec<GpuIndex>> {
    let entries: Vec<&str> = value.split(',').map(str::trim).collect();
    match entries[..] {
        ["" | "void" | "all"] => return None,
        ["none"] => return Some(Vec::new()),
        _ => {}
    }
    let named: Vec<GpuIndex> =
        entries.iter().filter_map(|entry| by_prefix(entry, cards).ok()).map(|card| card.index).collect();
    if !named.is_empty() {
        return Some(named);
    }
    let has_all = cards.len() > entries.len();
    let numbered = entries.iter().map(|entry| Some(cards.get(entry.parse::<usize>().ok()?)?.index));
    numbered.collect::<Option<Vec<_>>>().filter(|_| has_all)
}

/// A whole number at the start, as `strtoul` reads it.
fn by_number<'c>(entry: &str, cards: &'c [GpuCard]) -> Option<&'c GpuCard> {
    let digits = entry.strip_prefix('+').unwrap_or(entry);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    cards.get(digits[..end].parse::<usize>().ok()?)
}

/// The only card whose UUID begins so.
fn by_prefix<'c>(entry: &str, cards: &'c [GpuCard]) -> Result<&'c GpuCard, &'static str> {
    let is_meant = |card: &&GpuCard| entry.starts_with("GPU-") && card.uuid.starts_with(entry);
    let mut meant = cards.iter().filter(is_meant);
    match (meant.next(), meant.next()) {
        (Some(card), None) => Ok(card),
        (Some(_), Some(_)) => Err("names several GPUs"),
        (None, _) => Err("names no GPU of this machine"),
    }
}

/// The list of a user such as `2,3` or `GPU-8a1b`; empty for `all`.
pub fn parse_choice(text: &str) -> Result<Vec<String>, String> {
    if text.trim() == "all" {
        return Ok(Vec::new());
    }
    let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
    names.iter().try_for_each(|name| check_name(name))?;
    Ok(names)
}

/// Whether it can be the name of a GPU at all.
pub fn check_name(name: &str) -> Result<(), String> {
    let is_number = name.parse::<u32>().is_ok();
    if is_number || ["GPU-", "MIG-"].iter().any(|begin| name.starts_with(begin)) {
        return Ok(());
    }
    Err(format!("`{name}` is no GPU: name numbers as `sweepdeck monitor` shows them, or UUIDs (`GPU-…`)"))
}

impl GpuPermit {
    /// Keeps these cards; all if `None`; notes the reason.
    fn restrict_to(&mut self, reason: &str, kept: Option<Vec<GpuIndex>>) {
        if !reason.is_empty() {
            self.because.push(reason.to_owned());
        }
        let Some(kept) = kept else { return };
        let reason = if reason.is_empty() { self.because.join(", ") } else { reason.to_owned() };
        let (kept, other): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.cards).into_iter().partition(|card| kept.contains(&card.index));
        self.cards = kept;
        self.withheld.extend(other.into_iter().map(|card| (card.index, reason.clone())));
    }

    /// The cards that a user names by number or by the first characters of a UUID; all where none is named.
    pub fn choose_cards(&self, wanted: &[String]) -> Result<Vec<&GpuCard>, String> {
        if wanted.is_empty() {
            return Ok(self.cards.iter().collect());
        }
        let mut chosen: Vec<&GpuCard> = Vec::new();
        for name in wanted {
            let card = self.find_card(name)?;
            if chosen.contains(&card) {
                return Err(format!("GPU {} is named twice", card.index));
            }
            chosen.push(card);
        }
        Ok(chosen)
    }

    fn find_card(&self, name: &str) -> Result<&GpuCard, String> {
        if name.starts_with("MIG-") {
            return Err(format!("`{name}` is a MIG instance, which sweepdeck cannot schedule"));
        }
        let Ok(number) = name.parse::<u32>() else {
            return by_prefix(name, &self.cards)
                .map_err(|why| format!("`{name}` {why}; {}", self.to_sentence()));
        };
        let found = self.cards.iter().find(|card| card.index == GpuIndex(number));
        found.ok_or_else(|| {
            let withheld = self.withheld.iter().find(|(gpu, _)| *gpu == GpuIndex(number));
            withheld.map_or_else(
                || format!("there is no GPU {name}; {}", self.to_sentence()),
                |(_, why)| format!("GPU {name} may not be used ({why}); {}", self.to_sentence()),
            )
        })
    }

    /// Lists the restrictions on the GPUs of a run that chooses these.
    pub fn restriction_reasons(&self, chosen: &[String]) -> Vec<String> {
        let chosen = (!chosen.is_empty()).then(|| format!("devices {}", chosen.join(", ")));
        self.because.iter().cloned().chain(chosen).collect()
    }

    /// Why a card gets no shards: it may not be used, or these were chosen and it is none of them.
    pub fn withheld_reason(&self, gpu: GpuIndex, chosen: &[GpuIndex]) -> Option<String> {
        let withheld = self.withheld.iter().find(|(card, _)| *card == gpu).map(|(_, reason)| reason.clone());
        withheld.or_else(|| (!chosen.contains(&gpu)).then(|| NOT_CHOSEN.to_owned()))
    }

    /// The GPUs that may be used, in a few words.
    pub fn to_sentence(&self) -> String {
        let numbers: Vec<String> = self.cards.iter().map(|card| card.index.to_string()).collect();
        match numbers.len() {
            0 => "no GPU may be used".to_owned(),
            1 => format!("GPU {} may be used", numbers[0]),
            _ => format!("GPUs {} may be used", numbers.join(", ")),
        }
    }

    /// Limits the inventory to what a run that wants these GPUs may use; a wish that cannot be met is left to
    /// preflight.
    pub fn limit_inventory(&self, of: &GpuInventory, wanted: &[String]) -> GpuInventory {
        let GpuInventory::Present { driver, .. } = of else { return of.clone() };
        let chosen = self.choose_cards(wanted).unwrap_or_else(|_| self.cards.iter().collect());
        if chosen.is_empty() {
            let mut reasons: Vec<&str> = self.because.iter().map(String::as_str).collect();
            if reasons.is_empty() {
                reasons.extend(self.withheld.iter().map(|(_, reason)| reason.as_str()).take(1));
            }
            return GpuInventory::Absent { reason: format!("no GPU may be used: {}", reasons.join(", ")) };
        }
        GpuInventory::Present { driver: driver.clone(), cards: chosen.into_iter().cloned().collect() }
    }
}

#[cfg(test)]
mod tests;
