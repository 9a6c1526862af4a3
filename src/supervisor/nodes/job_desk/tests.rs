//! What is asked of Slurm after each of its answers.

use super::*;

fn desk_with(wish: JobWish) -> (Jobs, NodeId) {
    let node: NodeId = NodeId::new("slurm1").unwrap();
    let jobs = Jobs {
        run: RunId("run".to_owned()),
        by_node: BTreeMap::new(),
        listed: None,
        next: Instant::now(),
        pause: FIRST_PAUSE,
        last_error: String::new(),
    };
    let desk = JobDesk(Arc::new(Mutex::new(jobs)));
    let need = || JobNeed { options: Vec::new(), output: PathBuf::new(), script: String::new() };
    desk.ask(&node, wish, need);
    (Arc::into_inner(desk.0).unwrap().into_inner().unwrap(), node)
}

fn list(jobs: &mut Jobs, found: Option<JobStage>) {
    let names = jobs.names_to_list(jobs.next);
    let status = |stage| JobStatus { id: "17".to_owned(), stage };
    let found = names.values().filter_map(|name| Some((name.clone(), status(found.clone()?)))).collect();
    jobs.take_list(&names, Ok(found), Instant::now());
}

#[test]
fn a_refusal_that_comes_again_is_tried_ever_later() {
    let (mut jobs, node) = desk_with(JobWish::Submit);
    assert!(jobs.jobs_to_submit().is_empty(), "it is looked up first");
    let mut pauses = Vec::new();
    for _ in 0..4 {
        list(&mut jobs, None);
        assert_eq!(jobs.jobs_to_submit().len(), 1);
        jobs.take_submission(&node, Err("too many jobs".to_owned()));
        assert!(jobs.jobs_to_submit().is_empty(), "it is looked up again");
        pauses.push((jobs.next - jobs.listed.unwrap()).as_secs());
    }
    assert_eq!(pauses, [30, 60, 120, 120]);
}

#[test]
fn a_refusal_names_its_command_once() {
    let (mut jobs, node) = desk_with(JobWish::Submit);
    for (said, shown) in
        [("too many jobs", "sbatch: too many jobs"), ("sbatch: error: no", "sbatch: error: no")]
    {
        jobs.take_submission(&node, Err(said.to_owned()));
        assert_eq!(jobs.by_node[&node].sign, JobSign::Refused(shown.to_owned()));
    }
}

#[test]
fn a_list_that_fails_is_the_reason_why_nothing_is_submitted() {
    let (mut jobs, node) = desk_with(JobWish::Submit);
    let names = jobs.names_to_list(jobs.next);
    jobs.take_list(&names, Err("Invalid job id specified".to_owned()), Instant::now());
    assert!(jobs.jobs_to_submit().is_empty());
    let desk = JobDesk(Arc::new(Mutex::new(jobs)));
    let refused = JobSign::Refused("squeue: Invalid job id specified".to_owned());
    assert_eq!(desk.ask(&node, JobWish::Submit, || unreachable!()), refused);
    list(&mut desk.lock(), None);
    assert_eq!(desk.ask(&node, JobWish::Submit, || unreachable!()), JobSign::Nothing);
}

#[test]
fn a_job_that_waits_on_after_it_was_cancelled_is_cancelled_again() {
    let (mut jobs, node) = desk_with(JobWish::Submit);
    list(&mut jobs, Some(JobStage::Pending { reason: "Priority".to_owned() }));
    jobs.by_node.get_mut(&node).unwrap().wish = JobWish::Cancel;
    assert_eq!((jobs.jobs_to_cancel(), jobs.jobs_to_cancel()), (vec!["17".to_owned()], vec![]));
    list(&mut jobs, Some(JobStage::Pending { reason: "Priority".to_owned() }));
    assert_eq!(jobs.jobs_to_cancel(), ["17"]);
}
