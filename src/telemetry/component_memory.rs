//! Which component of a shard a process on a GPU belongs to: by the GPU, where only one component is there, and else by
//! the name of the process.

use super::proc_files;
use crate::model::ids::GpuIndex;
use crate::model::machine::sample::GpuProcess;
use crate::model::machine::vram_parts::VramParts;

/// A component of a shard and its GPUs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Component {
    /// As the sweep calls it.
    pub name: String,
    /// GPUs that the component was given.
    pub gpus: Vec<GpuIndex>,
}

/// Returns the memory that the processes of one shard hold on each GPU, by component.
pub fn vram_parts(processes: &[GpuProcess], components: &[Component]) -> VramParts {
    parts_by(processes, components, proc_files::process_names)
}

fn parts_by(
    processes: &[GpuProcess],
    components: &[Component],
    names: impl Fn(u32) -> Vec<String>,
) -> VramParts {
    let mut parts = VramParts::default();
    for process in processes {
        let here: Vec<&Component> =
            components.iter().filter(|component| component.gpus.contains(&process.gpu)).collect();
        let component = match here[..] {
            [] => None,
            [only] => Some(only),
            _ => find_component(&here, &names(process.pid)),
        };
        parts.add_process(process.gpu, component.map(|component| component.name.as_str()), process.vram);
    }
    parts.0.sort_by(|a, b| (a.gpu, &a.component).cmp(&(b.gpu, &b.component)));
    parts
}

/// The one component whose name is a word in a name of the process: `env` in `ray::EnvWorker`, and not in
/// `/envs/rlinf`.
fn find_component<'c>(components: &[&'c Component], names: &[String]) -> Option<&'c Component> {
    let titles: Vec<Vec<String>> = names.iter().map(|name| split_words(name)).collect();
    let has = |component: &&&Component| {
        let wanted = split_words(&component.name);
        !wanted.is_empty()
            && titles.iter().any(|title| title.windows(wanted.len()).any(|part| part == wanted))
    };
    let mut found = components.iter().filter(has);
    let first = found.next()?;
    found.next().is_none().then_some(*first)
}

/// The words of a name in lowercase: those between other signs, and those that a capital begins.
fn split_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut was_small = false;
    for c in name.chars() {
        let starts = !c.is_alphanumeric() || c.is_uppercase() && was_small;
        if starts {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        was_small = c.is_lowercase() || c.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::units::Bytes;

    fn on(gpu: u32, pid: u32, vram: u64) -> GpuProcess {
        GpuProcess { gpu: GpuIndex(gpu), pid, vram: Some(Bytes(vram)) }
    }

    fn component(name: &str, gpus: &[u32]) -> Component {
        Component { name: name.to_owned(), gpus: gpus.iter().copied().map(GpuIndex).collect() }
    }

    fn told(processes: &[GpuProcess], components: &[Component]) -> String {
        let names = |pid| match pid {
            10 => vec!["ray::EnvWorker.interact".to_owned()],
            11 => vec!["python3".to_owned(), "ray::MultiStepRolloutWorker".to_owned()],
            12 => vec!["/opt/envs/rlinf/bin/python".to_owned()],
            _ => vec!["env_rollout".to_owned()],
        };
        parts_by(processes, components, names).to_string()
    }

    #[test]
    fn a_component_with_gpus_of_its_own_has_all_that_is_held_there() {
        let own = [component("env", &[0, 1]), component("rollout", &[2])];
        assert_eq!(told(&[on(2, 12, 16), on(0, 12, 6), on(5, 12, 1)], &own), "0:6:env;2:16:rollout;5:1");
        assert_eq!(told(&[on(0, 1, 6), on(0, 2, 1)], &[]), "0:7");
    }

    #[test]
    fn components_on_one_gpu_are_told_apart_by_the_names_of_their_processes() {
        let shared = [component("env", &[0]), component("rollout", &[0])];
        let processes = [on(0, 10, 6), on(0, 11, 16), on(0, 12, 1), on(0, 13, 2)];
        assert_eq!(told(&processes, &shared), "0:3;0:6:env;0:16:rollout");
    }

    #[test]
    fn names_have_words() {
        assert_eq!(split_words("ray::MultiStepRolloutWorker"), ["ray", "multi", "step", "rollout", "worker"]);
        assert_eq!(split_words("env_worker-2"), ["env", "worker", "2"]);
    }
}
