//! Values that are added to a run.

use super::*;
use crate::config::plan::read_plan;

const SWEEP: &str = "[matrix]\npolicy = ['flat', 'rough']\nenv = ['grass', 'stairs']\n\
    exclude = [{ policy = 'flat', env = 'stairs' }]\n\
    include = [{ policy = 'pilot', env = 'stairs' }]\n\
    [shard]\ncommand = 'run {{ policy }} {{ env }}'\n[resources]\nvram = \"{{ 6 if policy == 'teacher' else 2 }} GiB\"\n";

fn plan(source: &str) -> Plan {
    let origin =
        PlanOrigin { file: "/sweeps/eval.toml".into(), home: None, cores: 2, ..PlanOrigin::default() };
    read_plan(source, &origin).unwrap_or_else(|problems| panic!("{problems}"))
}

fn given(source: &str) -> SweepSource<'_> {
    SweepSource { source, file_name: Path::new("eval.toml"), home: None }
}

fn texts(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

/// The addition as a user asks for it; the plan follows it.
fn added(plan: &mut Plan, source: &str, axis: &str, values: &[&str]) -> Result<Vec<String>, GrowthError> {
    let values = typed_values(plan, given(source), axis, &texts(values))?;
    let growth = grow_for_user(plan, given(source), axis, &values)?;
    let ids = growth.shards.iter().map(|shard| shard.id.to_string()).collect();
    plan.follow_changes(&[crate::model::sweep::growth::PlanChange::Growth(Box::new(growth))]);
    Ok(ids)
}

#[test]
fn the_new_combos_are_rendered_as_at_the_start() {
    let mut plan = plan(SWEEP);
    assert_eq!(added(&mut plan, SWEEP, "policy", &["teacher"]).unwrap(), ["teacher_grass", "teacher_stairs"]);
    let last = plan.shards.last().unwrap();
    assert_eq!(
        (last.command.as_str(), last.needs.to_text().as_str()),
        ("run teacher stairs", "VRAM 6.0 GiB")
    );
    // The values of one addition meet those of another.
    assert_eq!(added(&mut plan, SWEEP, "env", &["mud"]).unwrap(), ["flat_mud", "rough_mud", "teacher_mud"]);
    // What `include` has brought already is not there twice, and rules hold for new combos as well.
    assert_eq!(added(&mut plan, SWEEP, "policy", &["pilot"]).unwrap(), ["pilot_grass", "pilot_mud"]);
}

#[test]
fn what_cannot_be_added_is_refused_with_its_reason() {
    let mut plan = plan(SWEEP);
    let mut refused =
        |axis: &str, values: &[&str]| added(&mut plan, SWEEP, axis, values).unwrap_err().to_string();
    assert_eq!(refused("polcy", &["x"]), "the sweep has no axis `polcy`: did you mean `policy`?");
    assert_eq!(refused("policy", &["flat"]), "`policy` has `flat` already");
    assert_eq!(refused("policy", &["a,b", "a"]), "`a` is named twice");
    assert_eq!(refused("policy", &[" , "]), "name a value to add, such as `policy=VALUE`");
    let message = refused("policy", &["a; rm -rf b"]);
    assert!(message.contains("does not take `a; rm -rf b`: "), "{message}");
    plan.expansion = None;
    assert_eq!(added(&mut plan, SWEEP, "policy", &["x"]), Err(GrowthError::TooOld));
}

#[test]
fn the_expression_of_the_start_holds_for_what_is_added() {
    let mut plan = plan(SWEEP);
    only::keep_matching(&mut plan, "policy=rough").unwrap();
    plan.expansion.as_mut().unwrap().only = Some("policy=rough".to_owned());
    assert!(matches!(added(&mut plan, SWEEP, "policy", &["x"]), Err(GrowthError::LeftOut { .. })));
    assert_eq!(added(&mut plan, SWEEP, "env", &["mud"]).unwrap(), ["rough_mud"]);
}

#[test]
fn numbers_are_added_singly_and_as_ranges_and_keep_their_type() {
    let source = "[matrix]\nseed = [1, 2]\n[shard]\ncommand = 'run {{ seed }}'\n";
    let mut plan = plan(source);
    assert_eq!(added(&mut plan, source, "seed", &["7", "10..12,20"]).unwrap(), ["7", "10", "11", "20"]);
    assert_eq!(plan.shards[2].vars.get("seed"), Some(&Value::Integer(7)));
    assert_eq!(
        added(&mut plan, source, "seed", &["many"]).unwrap_err().to_string(),
        "`many` is not an integer, as the values of `seed` are"
    );
}

#[test]
fn new_values_of_a_packed_axis_are_packs_of_their_own() {
    let source = "[matrix]\np = ['a', 'b']\nn = [0, 1, 2]\n[shard]\ncommand = 'run {{ p }} {{ pack.values | join(\",\") }}'\n\
        [pack]\naxis = 'n'\nsize = 2\n[episodes]\ntotal = 10\nshards = 'auto'\n";
    let mut plan = plan(source);
    let slices = plan.shards[0].slice.as_ref().unwrap().count;
    let ids = added(&mut plan, source, "n", &["3", "4", "5"]).unwrap();
    assert!(ids.iter().all(|id| id.contains("_pack2") || id.contains("_pack3")), "{ids:?}");
    assert_eq!(plan.shards.last().unwrap().slice.as_ref().unwrap().count, slices, "all combos are cut alike");
    let ids = added(&mut plan, source, "p", &["c"]).unwrap();
    let packed: Vec<usize> = plan.shards[plan.shards.len() - ids.len()..]
        .iter()
        .filter(|shard| shard.slice.as_ref().unwrap().index == 0)
        .map(|shard| shard.pack.as_ref().unwrap().values.len())
        .collect();
    assert_eq!(packed, [2, 2, 2], "a new combo has all values");
}

#[test]
fn names_and_files_of_others_are_not_taken() {
    let source = "[matrix]\nn = [1, 2]\n[shard]\nid = 's{{ n % 10 }}'\ncommand = 'run {{ n }}'\n";
    let mut one = plan(source);
    assert!(matches!(added(&mut one, source, "n", &["12"]), Err(GrowthError::SameId { .. })));
    let source = "[matrix]\nn = [1, 2]\n[shard]\ncommand = 'run {{ n }}'\nartifacts = ['r/{{ n % 10 }}']\n";
    let mut two = plan(source);
    let refused = added(&mut two, source, "n", &["12"]).unwrap_err().to_string();
    assert_eq!(refused, "the new shard `12` would write /sweeps/r/2, which is a file of `2`");
    assert_eq!(added(&mut two, source, "n", &["13"]).unwrap(), ["13"]);
}

#[test]
fn a_watched_axis_may_begin_without_files() {
    let source = "[matrix]\nckpt = { glob = 'c/*.pt', watch = true }\nenv = ['a', 'b']\nexclude = [{ env = 'b' }]\n\
        [shard]\ncommand = 'run {{ ckpt }} {{ env }}'\n";
    let origin =
        PlanOrigin { file: "/sweeps/eval.toml".into(), home: None, cores: 2, ..PlanOrigin::default() };
    let none = parse_outside_axes(source).axes.into_iter().map(|(name, origin)| FoundAxis {
        name,
        origin,
        values: Ok(vec![]),
    });
    let found: Vec<FoundAxis> = none.collect();
    let axes = AxisOverrides { found: &found, ..AxisOverrides::default() };
    let mut plan = read_with(source, &origin, 2, axes).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!((plan.shards.len(), plan.expansion.as_ref().unwrap().watches.len()), (0, 1));
    assert!(added(&mut plan, source, "env", &["c"]).unwrap().is_empty(), "there is nothing to run yet");
    assert_eq!(added(&mut plan, source, "ckpt", &["/sweeps/c/1.pt"]).unwrap(), ["1_a", "1_c"]);
    assert_eq!(plan.shards[0].vars.get("ckpt"), Some(&Value::String("c/1.pt".to_owned())));
}

#[test]
fn what_is_wrong_with_a_watch_is_said() {
    let problem = |axis: &str| {
        let source = format!("[matrix]\na = {axis}\n[shard]\ncommand = 'run {{{{ a }}}}'\n");
        let origin =
            PlanOrigin { file: "/sweeps/eval.toml".into(), home: None, cores: 2, ..PlanOrigin::default() };
        read_plan(&source, &origin).unwrap_err().to_string()
    };
    for (axis, wanted) in [
        ("{ range = [0, 2], watch = true }", "needs a glob"),
        ("{ glob = 'x', watch = 'yes' }", "must be true or a table"),
        ("{ glob = 'x', watch = { untill = 'x' } }", "has no key `untill`"),
        ("{ glob = 'x', watch = { idle = 'long' } }", "`idle`"),
    ] {
        assert!(problem(axis).contains(wanted), "{axis}: {}", problem(axis));
    }
}
