//! `resume`, `resume_after` and `previous`: how attempts continue where the one before stopped.

use crate::config::document::problem::Problem;
use crate::config::document::table::Table;
use crate::config::templates::shard::ShardSection;
use crate::config::trial::names_previous;
use crate::model::sweep::resume::Resume;

/// How attempts continue: by the key of `[shard]`, or by templates that name `previous`.
pub(in crate::config) fn read_resume(root: &Table<'_>, section: &ShardSection) -> Resume {
    let resume = if section.resumes_in_place {
        Resume::InPlace
    } else if section.fields.iter().any(names_previous) {
        Resume::FromPrevious
    } else {
        Resume::Never
    };
    if let (Resume::Never, Some(key)) = (resume, root.get_table("schedule").get("resume_after")) {
        let message = "`resume_after` starts attempts again that cannot continue: the sweep does not say how";
        let hint = "set `resume = true` in `[shard]` where the program continues in its folder, or name \
                    `{{ previous.out | default('') }}` in the command";
        root.sink().add(Problem::new(key.span(), message).with_hint(hint));
    }
    resume
}
