//! Whose a process is.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::OnceLock;

/// The user that a process runs as; `None` if it is gone or hidden.
pub fn owner_of(pid: u32) -> Option<u32> {
    fs::metadata(format!("/proc/{pid}")).ok().map(|folder| folder.uid())
}

/// The name of a user, or the number where the machine's own list has none, as for users of a directory service.
pub fn name_of(uid: u32) -> String {
    static NAMES: OnceLock<BTreeMap<u32, String>> = OnceLock::new();
    let names = NAMES.get_or_init(|| parse_accounts(&fs::read_to_string("/etc/passwd").unwrap_or_default()));
    names.get(&uid).cloned().unwrap_or_else(|| format!("user {uid}"))
}

fn parse_accounts(accounts: &str) -> BTreeMap<u32, String> {
    let account = |line: &str| {
        let mut fields = line.split(':');
        let name = fields.next()?.to_owned();
        Some((fields.nth(1)?.parse().ok()?, name))
    };
    accounts.lines().filter_map(account).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_told_by_name_where_they_have_one() {
        assert_eq!(owner_of(std::process::id()), Some(rustix::process::geteuid().as_raw()));
        assert_eq!(owner_of(4_194_303), None);
        let names =
            parse_accounts("root:x:0:0::/root:/bin/sh\nbroken\nalice:x:1001:100::/home/alice:/bin/sh\n");
        assert_eq!(names, BTreeMap::from([(0, "root".to_owned()), (1001, "alice".to_owned())]));
        assert_eq!(name_of(4_000_000_000), "user 4000000000");
    }
}
