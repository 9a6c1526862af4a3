//! Which of the GPUs that have room a shard gets.

use std::cmp::Reverse;

use crate::model::ids::GpuIndex;
use crate::model::needs::resources::{Placement, VramSlot};
use crate::model::units::Bytes;
use crate::scheduler::admission::ledger::GpuAccount;

/// Differences below this are noise of the driver and not a reason to prefer another card.
const GRAIN: u32 = 30;

/// Places the slots: one GPU for each, in the order of the slots; `None` where they do not all fit. `fits`
/// decides whether a card has room for so much.
pub fn place_slots(
    accounts: &[&GpuAccount],
    slots: &[Option<VramSlot>],
    how: Placement,
    fits: impl Fn(&GpuAccount, Option<Bytes>) -> bool,
) -> Option<Vec<GpuIndex>> {
    let holds = |account: &GpuAccount, slot: Option<VramSlot>| fits(account, account.needed_vram(slot));
    if let [slot] = slots {
        // As below, without the lists: most shards use one GPU, and a decision may place hundreds.
        let open = accounts.iter().filter(|account| holds(account, *slot));
        return open.min_by_key(|account| placement_key(account, how)).map(|account| vec![account.gpu]);
    }
    let mut preferred = accounts.to_vec();
    preferred.sort_by_key(|account| placement_key(account, how));
    // The largest need chooses first: a card that takes a large one takes every smaller one, so that whatever the
    // large ones leave is as good as any other choice. A share adapts to its card and chooses last.
    let mut order: Vec<usize> = (0..slots.len()).collect();
    order.sort_by_key(|slot| Reverse(slots[*slot].map(|need| need.fixed)));
    let mut chosen = vec![None; slots.len()];
    for slot in order {
        let at = preferred.iter().position(|account| holds(account, slots[slot]))?;
        chosen[slot] = Some(preferred.remove(at));
    }
    let chosen: Vec<&GpuAccount> = chosen.into_iter().flatten().collect();
    // People and programs expect rising numbers; where memory allows, the slots take the chosen cards in that order.
    let mut rising = chosen.clone();
    rising.sort_by_key(|account| account.gpu);
    let in_order = rising.iter().zip(slots).all(|(account, slot)| holds(account, *slot));
    Some((if in_order { rising } else { chosen }).into_iter().map(|account| account.gpu).collect())
}

/// The smaller, the sooner a card is chosen.
fn placement_key(account: &GpuAccount, how: Placement) -> (usize, Reverse<u64>, u64, GpuIndex) {
    let room = account.available_vram().map_or(u64::MAX, |room| room.0 >> GRAIN);
    match how {
        Placement::Spread => {
            let crowd = account.tenants + account.services + usize::from(account.stranger.is_some());
            (crowd, Reverse(room), 0, account.gpu)
        }
        // Cards in use come before empty ones, and of them the fullest.
        Placement::Pack => {
            (usize::from(account.tenants + account.services == 0), Reverse(0), room, account.gpu)
        }
    }
}
