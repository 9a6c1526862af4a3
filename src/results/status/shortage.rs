//! What the machine has too little of, in one line for people.

use crate::model::needs::resources::VramSlot;
use crate::model::shortage::{GpuRoom, ReservationElsewhere, ServiceWait, Shortage, ShutGpu, Stranger};
use crate::model::units::{Bytes, format_duration};

/// So many GPUs are described one by one.
const MOST_GPUS: usize = 3;

/// Describes what is needed, and what prevents it.
pub fn describe_shortage(short_of: &Shortage) -> String {
    match short_of {
        Shortage::Vram { needs, gpus } => describe_vram_shortage(needs, gpus),
        Shortage::Alone { gpus, measuring: true } => {
            format!("its VRAM is to be measured on {} without other shards", format_count(*gpus, "GPU"))
        }
        Shortage::Alone { gpus, measuring: false } => {
            format!("needs {} without other shards", format_count(*gpus, "GPU"))
        }
        Shortage::Measured { first } => format!("waits until the VRAM of {first} is measured"),
        Shortage::PackSize { first, values } => {
            format!("waits to see whether {values} values fit in {first}")
        }
        Shortage::Gpus { needs, usable, shut } => {
            let shut: Vec<String> =
                shut.iter().map(|ShutGpu { gpu, reason }| format!("; GPU {gpu}: {reason}")).collect();
            format!("needs {}, {usable} can be used{}", format_count(*needs, "GPU"), shut.concat())
        }
        Shortage::Cores { needs, promised, cores, elsewhere } => {
            let holder = describe_holder(elsewhere.as_ref(), |cores| cores.to_string());
            format!(
                "needs {}; {promised} of {cores} are promised{holder}",
                format_count(*needs as usize, "core")
            )
        }
        Shortage::Ram { needs, free, promised, elsewhere } => {
            let holder = describe_holder(elsewhere.as_ref(), |bytes| Bytes(bytes).to_string());
            format!(
                "needs {needs} of memory; {free} is free{}{holder}",
                describe_unavailable(*promised, Bytes(0))
            )
        }
        Shortage::Start { lack } => lack.as_text().to_owned(),
        Shortage::Time { needs: Some(needs), job, .. } => {
            format!("needs about {}, and job {job} ends before that", format_duration(*needs))
        }
        Shortage::Time { needs: None, job, .. } => format!("job {job} is over"),
        Shortage::Service { service: name, why } => describe_service_wait(name, why),
        Shortage::Turn { first } => format!("room is kept for {first}, which comes first"),
    }
}

/// Describes what prevents the use of a service.
fn describe_service_wait(name: &str, why: &ServiceWait) -> String {
    match why {
        ServiceWait::Starting => format!("waits until {name} is ready"),
        ServiceWait::Full { serves: 1 } => format!("{name} serves one shard at a time"),
        ServiceWait::Full { serves } => format!("{name} serves {serves} shards at a time"),
        ServiceWait::Again { .. } => format!("{name} failed and is started again soon"),
        ServiceWait::Failed { message } => format!("{name} failed: {message}; `sweepdeck restart` it"),
        ServiceWait::Ending => format!("waits for {name}, which is paused or being ended"),
        ServiceWait::Room { short_of } => format!("no room for {name}: {}", describe_shortage(short_of)),
    }
}

fn describe_vram_shortage(needs: &[VramSlot], gpus: &[GpuRoom]) -> String {
    let mut words = needs_words(needs);
    let mut by_room: Vec<&GpuRoom> = gpus.iter().collect();
    by_room.sort_by_key(|gpu| (gpu.taken, std::cmp::Reverse(gpu.available_vram()), gpu.gpu));
    for gpu in by_room.iter().take(MOST_GPUS) {
        words.push_str(&if gpu.taken {
            let whose =
                gpu.elsewhere.as_ref().map(|other| format!(" of {}", other.holder)).unwrap_or_default();
            format!("; GPU {} is taken by a shard{whose} that is alone there", gpu.gpu)
        } else {
            let holder = describe_holder(gpu.elsewhere.as_ref(), |bytes| Bytes(bytes).to_string());
            format!(
                "; GPU {} has {} free{}{holder}",
                gpu.gpu,
                gpu.free,
                describe_unavailable(gpu.promised, gpu.reserve)
            )
        });
        if let Some(stranger) = &gpu.stranger {
            words.push_str(&format!(", {}", describe_stranger(stranger)));
        }
    }
    if by_room.len() > MOST_GPUS {
        words.push_str(&match by_room.len() - MOST_GPUS {
            1 => "; 1 more GPU has less".to_owned(),
            more => format!("; {more} more GPUs have less"),
        });
    }
    words
}

/// Prints `needs 16.0 GiB on each of 2 GPUs and 6.0 GiB on one GPU`; equal needs come next to each other because they
/// are sorted.
fn needs_words(needs: &[VramSlot]) -> String {
    let alike: Vec<String> = needs
        .chunk_by(|a, b| a == b)
        .map(|alike| match alike.len() {
            1 => format!("{} one GPU", format_amount(alike[0])),
            count => format!("{} each of {count} GPUs", format_amount(alike[0])),
        })
        .collect();
    if alike.is_empty() { "needs a GPU".to_owned() } else { format!("needs {}", alike.join(" and ")) }
}

fn format_amount(slot: VramSlot) -> String {
    match (slot.fixed, slot.percent) {
        (fixed, 0.0) => format!("{fixed} on"),
        (Bytes(0), percent) => format!("{percent} % of"),
        (fixed, percent) => format!("{fixed} and {percent} % of"),
    }
}

/// Names the part of the free memory that is not available.
fn describe_unavailable(promised: Bytes, reserve: Bytes) -> String {
    match (promised, reserve) {
        (Bytes(0), Bytes(0)) => String::new(),
        (promised, Bytes(0)) => format!(", {promised} of it promised"),
        (Bytes(0), reserve) => format!(", {reserve} of it reserved"),
        (promised, reserve) => format!(", {promised} of it promised and {reserve} reserved"),
    }
}

/// Names the holder of most of what is promised, where that is another run.
fn describe_holder(elsewhere: Option<&ReservationElsewhere>, amount: impl Fn(u64) -> String) -> String {
    let other = elsewhere.filter(|other| other.amount > 0);
    other.map(|other| format!(" ({} of it to {})", amount(other.amount), other.holder)).unwrap_or_default()
}

fn describe_stranger(stranger: &Stranger) -> String {
    match &stranger.name {
        Some(name) => format!("{name} (pid {}) holds {}", stranger.pid, stranger.vram),
        None => format!("process {} holds {}", stranger.pid, stranger.vram),
    }
}

fn format_count(count: usize, thing: &str) -> String {
    match count {
        1 => format!("1 {thing}"),
        count => format!("{count} {thing}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ids::GpuIndex;

    fn gib(tenths: u64) -> Bytes {
        Bytes(tenths * (1 << 30) / 10)
    }

    fn room(gpu: u32, free: u64) -> GpuRoom {
        GpuRoom {
            gpu: GpuIndex(gpu),
            free: gib(free),
            promised: Bytes(0),
            reserve: Bytes(0),
            taken: false,
            stranger: None,
            elsewhere: None,
        }
    }

    #[test]
    fn whose_promise_it_is_that_holds_a_shard_up_is_said() {
        let need = |tenths| VramSlot { fixed: gib(tenths), ..VramSlot::default() };
        let holder = "the run b of another state folder (/tmp/state)".to_owned();
        let elsewhere = Some(ReservationElsewhere { holder, amount: gib(40).0 });
        let kept = GpuRoom { promised: gib(60), elsewhere: elsewhere.clone(), ..room(0, 90) };
        let taken = GpuRoom { taken: true, elsewhere, ..room(1, 500) };
        assert_eq!(
            describe_shortage(&Shortage::Vram { needs: vec![need(60)], gpus: vec![kept, taken] }),
            "needs 6.0 GiB on one GPU; GPU 0 has 9.0 GiB free, 6.0 GiB of it promised (4.0 GiB of it to the run b of \
             another state folder (/tmp/state)); GPU 1 is taken by a shard of the run b of another state folder \
             (/tmp/state) that is alone there"
        );
    }

    #[test]
    fn too_little_vram_names_what_is_free_and_who_holds_the_rest() {
        let stranger = Some(Stranger { pid: 4711, name: Some("training".to_owned()), vram: gib(390) });
        let need = |tenths| VramSlot { fixed: gib(tenths), ..VramSlot::default() };
        let one = Shortage::Vram { needs: vec![need(20)], gpus: vec![GpuRoom { stranger, ..room(0, 14) }] };
        assert_eq!(
            describe_shortage(&one),
            "needs 2.0 GiB on one GPU; GPU 0 has 1.4 GiB free, training (pid 4711) holds 39.0 GiB"
        );
        let kept = GpuRoom { promised: gib(60), reserve: gib(20), ..room(0, 90) };
        let taken = GpuRoom { taken: true, ..room(1, 500) };
        let many = Shortage::Vram { needs: vec![need(160), need(160), need(60)], gpus: vec![kept, taken] };
        assert_eq!(
            describe_shortage(&many),
            "needs 16.0 GiB on each of 2 GPUs and 6.0 GiB on one GPU; GPU 0 has 9.0 GiB free, 6.0 GiB of it promised \
             and 2.0 GiB reserved; GPU 1 is taken by a shard that is alone there"
        );
        let crowd = (0..8).map(|gpu| room(gpu, u64::from(gpu))).collect();
        let crowd = describe_shortage(&Shortage::Vram { needs: vec![need(20)], gpus: crowd });
        assert!(
            crowd.contains("one GPU; GPU 7 has") && crowd.ends_with("; 5 more GPUs have less"),
            "{crowd}"
        );
    }
}
