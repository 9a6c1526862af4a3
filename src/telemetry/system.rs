//! What does not change about a machine: processor, kernel, distribution, CUDA.

use std::fs;
use std::path::Path;

use super::nvml::driver;

/// The model of the processor.
pub fn cpu_model(root: &Path) -> Option<String> {
    let text = fs::read_to_string(root.join("proc/cpuinfo")).ok()?;
    let named = ["model name", "Model", "cpu model", "Hardware"];
    named.iter().find_map(|name| {
        let line = text.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == *name))?;
        Some(line.split_once(':')?.1.trim().to_owned()).filter(|model| !model.is_empty())
    })
}

/// Reads the release of the running kernel.
pub fn kernel_release(root: &Path) -> Option<String> {
    let release = fs::read_to_string(root.join("proc/sys/kernel/osrelease")).ok()?;
    Some(release.trim().to_owned()).filter(|release| !release.is_empty())
}

/// The distribution, by its own word.
pub fn distribution_name(root: &Path) -> Option<String> {
    let text = fs::read_to_string(root.join("etc/os-release")).ok()?;
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches(['"', '\'']).to_owned())
}

/// The newest version of CUDA that the driver serves.
pub fn cuda_version() -> Option<String> {
    driver::open_driver().ok()?.cuda_version()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_machine_says_of_itself_is_read_and_the_rest_unknown() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert_eq!((cpu_model(root), kernel_release(root), distribution_name(root)), (None, None, None));
        fs::create_dir_all(root.join("proc/sys/kernel")).unwrap();
        fs::create_dir_all(root.join("etc")).unwrap();
        fs::write(root.join("proc/cpuinfo"), "processor\t: 0\nmodel name\t: AMD EPYC 9654\n\n").unwrap();
        fs::write(root.join("proc/sys/kernel/osrelease"), "6.8.0-45\n").unwrap();
        fs::write(root.join("etc/os-release"), "NAME=x\nPRETTY_NAME=\"Ubuntu 24.04 LTS\"\n").unwrap();
        assert_eq!(cpu_model(root).as_deref(), Some("AMD EPYC 9654"));
        assert_eq!(kernel_release(root).as_deref(), Some("6.8.0-45"));
        assert_eq!(distribution_name(root).as_deref(), Some("Ubuntu 24.04 LTS"));
    }
}
