//! The cores that a process may run on.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Cores of this process in ascending order; `None` if the kernel's mask is larger than the one it is read
/// into.
pub fn own_cores() -> Option<Vec<u32>> {
    let set = sched_getaffinity(None).ok()?;
    let cores = (0..CpuSet::MAX_CPU as u32).filter(|core| set.is_set(*core as usize));
    Some(cores.collect()).filter(|cores: &Vec<u32>| !cores.is_empty())
}

/// Restricts this process, and all that it starts from now on, to these cores. The kernel keeps it within the cpuset of
/// its control group, and fails if none of the cores is in that set.
pub fn restrict_cores(cores: &[u32]) -> std::io::Result<()> {
    if own_cores().is_some_and(|own| own == cores) {
        return Ok(());
    }
    let mut set = CpuSet::new();
    cores.iter().filter(|core| (**core as usize) < CpuSet::MAX_CPU).for_each(|core| set.set(*core as usize));
    Ok(sched_setaffinity(None, &set)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_restricted_to_a_part_of_its_cores() {
        let all = own_cores().unwrap();
        let one = [all[all.len() - 1]];
        // On a thread of its own: the mask is that of the calling thread.
        std::thread::spawn(move || {
            restrict_cores(&one).unwrap();
            assert_eq!(own_cores().as_deref(), Some(&one[..]));
            assert!(restrict_cores(&[]).is_err());
        })
        .join()
        .unwrap();
        assert_eq!(own_cores(), Some(all));
    }
}
