//! Documents of a serial run are cut into those of shards, spoilt in one place, and merged again.

use proptest::prelude::*;

use super::merging::{Gaps, Merged, merge_pieces};
use super::piece::{Piece, PieceFault, PieceRefusal, PieceWork};
use crate::model::ids::ShardId;
use crate::model::results::results_spec::{Merge, MergeRule, MergeWay, ResultsSpec, RowMeaning};

fn json() -> ResultsSpec {
    ResultsSpec { merge: Merge::Json, ..ResultsSpec::default() }
}

fn with(rules: &[(&str, MergeWay)]) -> ResultsSpec {
    let rules = rules.iter().map(|(key, way)| MergeRule { key: key.parse().unwrap(), way: way.clone() });
    ResultsSpec { rules: rules.collect(), ..json() }
}

fn piece(index: usize, ids: &[u64], text: impl Into<String>) -> Piece {
    Piece {
        shard: ShardId::new(format!("s{index}")).unwrap(),
        work: PieceWork::Episodes(ids.to_vec()),
        file: format!("shards/s{index}/attempt-01/out/r.json"),
        bytes: text.into().into_bytes(),
    }
}

fn slices(total: u64, shards: u64, dealt: bool) -> Vec<Vec<u64>> {
    let of = |shard: u64| -> Vec<u64> {
        let contiguous = total * shard / shards..total * (shard + 1) / shards;
        if dealt { (shard..total).step_by(shards as usize).collect() } else { contiguous.collect() }
    };
    (0..shards).map(of).filter(|ids| !ids.is_empty()).collect()
}

fn cut(slices: &[Vec<u64>], write: impl Fn(&[u64]) -> String) -> Vec<Piece> {
    slices.iter().enumerate().map(|(index, ids)| piece(index, ids, write(ids))).collect()
}

fn reward(id: u64) -> String {
    format!("{}.{:04}", id * 7919 % 1009, id * 31 % 9973 + 1)
}

fn is_success(id: u64) -> bool {
    !(id * 31).is_multiple_of(3)
}

fn list(ids: &[u64], element: impl Fn(u64) -> String) -> String {
    format!("[{}]", ids.iter().map(|id| element(*id)).collect::<Vec<_>>().join(", "))
}

/// Settings, counts, and episodes in five shapes; `own` episodes are numbered from 0 in each shard.
fn document(ids: &[u64], own: bool) -> String {
    let number = |id: u64| if own { ids.iter().position(|own| *own == id).unwrap() as u64 } else { id };
    let record = |id: u64| {
        let (episode, seed, success) = (number(id), 1000 + id, is_success(id));
        format!("{{\"episode\": {episode}, \"seed\": {seed}, \"success\": {success}}}")
    };
    let keyed = ids.iter().map(|id| format!("\"{}\": {{\"x\": {}}}", number(*id), reward(*id)));
    format!(
        "{{\"policy\": \"flat\", \"horizon\": [1, 2, 3], \"n_episodes\": {}, \"episodes\": {}, \"successes\": {}, \
         \"all\": {{\"rewards\": {}, \"episode_ids\": {}, \"by_episode\": {{{}}}}}, \"config\": {{\"seeds\": [7, 8]}}, \"none\": []}}\n",
        ids.len(),
        list(ids, record),
        list(ids, |id| is_success(id).to_string()),
        list(ids, reward),
        list(ids, |id| number(id).to_string()),
        keyed.collect::<Vec<_>>().join(", ")
    )
}

fn whole(spec: &ResultsSpec, pieces: Vec<Piece>) -> String {
    match merge_pieces(spec, pieces, Vec::new(), Gaps::Refused) {
        Merged::Whole(made) => made.text,
        other => panic!("{other:?}"),
    }
}

fn refused(spec: &ResultsSpec, pieces: Vec<Piece>) -> Vec<PieceRefusal> {
    match merge_pieces(spec, pieces, Vec::new(), Gaps::Refused) {
        Merged::Refused(refusals) => refusals,
        other => panic!("{other:?}"),
    }
}

fn named(refusals: &[PieceRefusal]) -> Vec<&str> {
    refusals.iter().map(|refusal| refusal.shard.as_str()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_serial_document_cut_in_any_way_is_the_serial_document_again(
        total in 1_u64..60, shards in 1_u64..9, dealt: bool, own: bool, order in proptest::collection::vec(any::<u32>(), 9)
    ) {
        let slices = slices(total, shards.min(total), dealt);
        let mut pieces = cut(&slices, |ids| document(ids, own));
        let mut keys = order.iter();
        pieces.sort_by_cached_key(|_| keys.next().copied());
        // Slices as long as a list of settings leave open which of both it is.
        let spec = with(&[("horizon", MergeWay::Same)]);
        let all: Vec<u64> = (0..total).collect();
        prop_assert_eq!(whole(&spec, pieces), document(&all, own));
    }

    #[test]
    fn what_is_copied_lost_or_twice_is_refused_by_name(
        total in 8_u64..60, shards in 2_u64..5, dealt: bool, own: bool, from in 0_usize..5, to in 0_usize..5, fault in 0_usize..3
    ) {
        let slices = slices(total, shards, dealt);
        let (from, to) = (from % slices.len(), to % slices.len());
        prop_assume!(from != to);
        let mut pieces = cut(&slices, |ids| document(ids, own));
        let ids = &slices[to];
        pieces[to].bytes = match fault {
            0 => pieces[from].bytes.clone(),
            1 => document(&ids[..ids.len() - 1], own).into_bytes(),
            _ => {
                let again: Vec<u64> = ids[..ids.len() - 1].iter().chain([&ids[0]]).copied().collect();
                document(&again, own).into_bytes()
            }
        };
        let refusals = refused(&with(&[("horizon", MergeWay::Same)]), pieces);
        let name = format!("s{to}");
        prop_assert!(named(&refusals).contains(&name.as_str()), "{:?}", refusals);
        let file = format!("shards/{name}/attempt-01/out/r.json");
        prop_assert!(refusals.iter().any(|refusal| refusal.file.as_deref() == Some(file.as_str())));
    }
}

/// One list of each episode's figures, as a program without any numbers writes it.
fn rewards(ids: &[u64]) -> String {
    format!("{{\"values\": {}}}", list(ids, reward))
}

#[test]
fn a_copied_shard_is_not_merged() {
    let slices = slices(103, 5, false);
    let mut pieces = cut(&slices, rewards);
    pieces[0].bytes = rewards(&slices[1]).into_bytes();
    let told = refused(&json(), pieces.clone());
    assert_eq!((told[0].shard.as_str(), told[0].fault), ("s0", PieceFault::Duplicate), "{told:?}");
    assert_eq!(told.len(), 1, "the other has as many as it should: {told:?}");
    assert!(told[0].why.contains("`values`") && told[0].why.contains("s1"), "{told:?}");
    // Where both have as many as they should, nothing shows whose they are.
    pieces[0].bytes = rewards(&slices[0]).into_bytes();
    pieces[2].bytes = rewards(&slices[1]).into_bytes();
    let even: Vec<usize> = slices.iter().map(Vec::len).collect();
    let told = refused(&json(), pieces);
    assert!(named(&told).contains(&"s2"), "{even:?} {told:?}");
}

#[test]
fn a_short_shard_is_not_merged() {
    let slices = slices(103, 5, false);
    let mut pieces = cut(&slices, rewards);
    pieces[3].bytes = rewards(&slices[3][1..]).into_bytes();
    let told = refused(&json(), pieces);
    assert_eq!(named(&told), ["s3"]);
    assert_eq!(told[0].fault, PieceFault::Incomplete);
    let found = format!("it has {} of {} episodes in `values`", slices[3].len() - 1, slices[3].len());
    assert_eq!(told[0].why, found);
    assert_eq!(told[0].to_string(), format!("s3 is incomplete: {found} (shards/s3/attempt-01/out/r.json)"));
}

#[test]
fn equal_lists_of_settings_stay_single() {
    let write = |ids: &[u64]| {
        format!(
            "{{\"layers\": [1, 2, 3], \"reward_weights\": [0.125, 1.0], \"values\": {}}}",
            list(ids, reward)
        )
    };
    let slices = slices(103, 5, false);
    let all: Vec<u64> = (0..103).collect();
    assert_eq!(whole(&json(), cut(&slices, write)), write(&all));
}

#[test]
fn a_list_as_long_as_the_slices_and_equal_in_all_is_asked_about() {
    let slices = slices(6, 2, false);
    let pieces = || cut(&slices, |_| "{\"grasps\": [1, 2, 3]}".to_owned());
    let told = refused(&json(), pieces());
    assert_eq!(named(&told), ["s0", "s1"]);
    assert!(
        told[0].why.contains("`grasps = \"same\"`") && told[0].why.contains("`grasps = \"episodes\"`"),
        "{told:?}"
    );
    assert_eq!(whole(&with(&[("grasps", MergeWay::Same)]), pieces()), "{\"grasps\": [1, 2, 3]}");
    let twice = "{\"grasps\": [1, 2, 3, 1, 2, 3]}";
    assert_eq!(whole(&with(&[("grasps", MergeWay::Episodes)]), pieces()), twice);
    assert_eq!(whole(&with(&[("grasps", MergeWay::Join)]), pieces()), twice);
    // Values whose name or kind is clear need no rule.
    let outcomes = cut(&slices, |_| "{\"done\": [true, true, true], \"successes\": [1, 1, 1]}".to_owned());
    let both = "{\"done\": [true, true, true, true, true, true], \"successes\": [1, 1, 1, 1, 1, 1]}";
    assert_eq!(whole(&json(), outcomes), both);
    let settings = cut(&slices, |_| "{\"config\": {\"gains\": [1, 2, 3]}}".to_owned());
    assert_eq!(whole(&json(), settings), "{\"config\": {\"gains\": [1, 2, 3]}}");
}

#[test]
fn lists_that_do_not_add_up_name_the_rule_that_takes_them() {
    let slices = slices(6, 2, false);
    let pieces = || vec![piece(0, &slices[0], "{\"lost\": [4]}"), piece(1, &slices[1], "{\"lost\": [1, 2]}")];
    let told = refused(&json(), pieces());
    assert_eq!(named(&told), ["s0", "s1"]);
    assert!(told[0].why.starts_with("`lost` has 1 entry for 3 episodes"), "{told:?}");
    assert!(told[0].why.contains("`lost = \"join\"`"), "{told:?}");
    assert_eq!(whole(&with(&[("lost", MergeWay::Join)]), pieces()), "{\"lost\": [4, 1, 2]}");
    assert_eq!(named(&refused(&with(&[("lost", MergeWay::Episodes)]), pieces())), ["s0", "s1"]);
}

#[test]
fn seeds_that_two_shards_share_are_refused() {
    let write = |ids: &[u64]| {
        let record = |id: u64| format!("{{\"seed\": {}, \"ok\": true}}", 7 + id);
        format!("{{\"results\": {}}}", list(ids, record))
    };
    let slices = slices(8, 2, false);
    let mut pieces = cut(&slices, write);
    pieces[1].bytes = write(&[3, 4, 5, 6]).into_bytes();
    let told = refused(&json(), pieces);
    assert_eq!((named(&told), told[0].fault), (vec!["s1"], PieceFault::Overlapping));
    assert!(told[0].why.contains("seed 10"), "{told:?}");
    // One seed for the whole run belongs to no episode.
    let constant =
        |ids: &[u64]| format!("{{\"results\": {}}}", list(ids, |_| "{\"seed\": 1, \"ok\": true}".to_owned()));
    let all: Vec<u64> = (0..8).collect();
    assert_eq!(whole(&json(), cut(&slices, constant)), constant(&all));
}

#[test]
fn counts_of_episodes_are_added_up_and_compared_with_the_plan() {
    let slices = slices(103, 5, false);
    let write = |ids: &[u64]| format!("{{\"n_episodes\": {}}}", 2 * ids.len());
    assert_eq!(whole(&json(), cut(&slices, write)), "{\"n_episodes\": 206}", "two tasks");
    let total = |_: &[u64]| "{\"n_episodes\": 103}".to_owned();
    assert_eq!(whole(&json(), cut(&slices, total)), "{\"n_episodes\": 103}", "what was asked for in all");
    let write = |ids: &[u64]| format!("{{\"episodes\": {}}}", ids.len());
    let mut short = cut(&slices, write);
    short[4].bytes = write(&slices[4][1..]).into_bytes();
    for spec in [json(), with(&[("episodes", MergeWay::Sum)])] {
        let told = refused(&spec, short.clone());
        assert_eq!((named(&told), told[0].fault), (vec!["s4"], PieceFault::Incomplete));
        assert_eq!(told[0].why, "`episodes` says 20 of 21 episodes");
    }
}

#[test]
fn equal_counts_are_no_settings() {
    let slices = slices(8, 2, false);
    let told = refused(&json(), cut(&slices, |_| "{\"horizon\": 500, \"successes\": 3}".to_owned()));
    assert_eq!(named(&told), ["s0", "s1"]);
    assert!(told[0].why.contains("`successes` is 3 in all"), "{told:?}");
    assert!(told[0].why.contains("`successes = \"sum\"`"), "{told:?}");
    let none = "{\"horizon\": 500, \"successes\": 0}";
    assert_eq!(whole(&json(), cut(&slices, |_| none.to_owned())), none, "none and none are none");
}

#[test]
fn averages_that_are_equal_to_the_last_digit_are_of_the_same_episodes() {
    let slices = slices(8, 2, false);
    let copied = cut(&slices, |_| "{\"mean_reward\": 212.40625}".to_owned());
    assert_eq!(named(&refused(&json(), copied.clone())), ["s0", "s1"]);
    let mean = with(&[("mean_reward", MergeWay::Mean { weight: None })]);
    assert_eq!(named(&refused(&mean, copied)), ["s0", "s1"]);
    let half = cut(&slices, |_| "{\"success_rate\": 0.5, \"learning_rate\": 0.000312345}".to_owned());
    assert_eq!(whole(&json(), half), "{\"success_rate\": 0.5, \"learning_rate\": 0.000312345}");
}

#[test]
fn lists_of_tasks_are_merged_task_by_task() {
    let write = |ids: &[u64]| {
        let task = |task: u64| {
            format!(
                "{{\"task_id\": {task}, \"n_episodes\": {}, \"rewards\": {}}}",
                ids.len(),
                list(ids, |id| reward(id + task))
            )
        };
        format!("{{\"tasks\": [{}, {}]}}", task(0), task(1))
    };
    let all: Vec<u64> = (0..11).collect();
    assert_eq!(whole(&json(), cut(&slices(11, 3, true), write)), write(&all));
}

#[test]
fn rows_of_a_program_that_ignores_its_seed_are_refused() {
    let spec = |merge| ResultsSpec { merge, ..ResultsSpec::default() };
    let slices = slices(8, 2, false);
    let lines = |_: &[u64]| (0..4).map(|id| format!("{{\"reward\": {}}}\n", reward(id))).collect::<String>();
    let table = |ids: &[u64]| {
        let row = |(place, id): (u64, &u64)| format!("{id},{}\n", reward(place));
        format!("episode,reward\n{}", (0..).zip(ids).map(row).collect::<String>())
    };
    for (merge, pieces) in [(Merge::Jsonl, cut(&slices, lines)), (Merge::Csv, cut(&slices, table))] {
        let told = refused(&spec(merge), pieces.clone());
        assert_eq!((named(&told), told[0].fault), (vec!["s0", "s1"], PieceFault::Duplicate), "{told:?}");
        assert!(told[0].why.contains("{{ shard.seed }}"), "{told:?}");
        let any = ResultsSpec { rows: RowMeaning::Any, ..spec(merge) };
        assert!(matches!(merge_any(&any, pieces), Merged::Whole(_)));
    }
}

fn merge_any(spec: &ResultsSpec, pieces: Vec<Piece>) -> Merged {
    merge_pieces(spec, pieces, Vec::new(), Gaps::Refused)
}

#[test]
fn rows_that_a_restarted_program_wrote_all_again_are_refused() {
    let jsonl = ResultsSpec { merge: Merge::Jsonl, ..ResultsSpec::default() };
    let write = |ids: &[u64]| ids.iter().map(|id| format!("{{\"episode\": {id}}}\n")).collect::<String>();
    let slices = slices(8, 2, false);
    let mut pieces = cut(&slices, write);
    pieces[1].bytes = write(&[4, 5, 6, 7, 4, 5, 6, 7]).into_bytes();
    let told = refused(&jsonl, pieces);
    assert_eq!((named(&told), told[0].fault), (vec!["s1"], PieceFault::Duplicate));
    assert_eq!(told[0].why, "it has episodes 4, 5, 6, 7 more than once: 8 rows for 4 episodes");
}

#[test]
fn packs_that_hold_the_same_values_of_measure_are_refused() {
    let pack = |index: usize, text: &str| Piece { work: PieceWork::Values(2), ..piece(index, &[], text) };
    let a = "{\"returns\": [212.40625, 187.03125]}";
    let b = "{\"returns\": [3.5, 4.25]}";
    let both = "{\"returns\": [212.40625, 187.03125, 3.5, 4.25]}";
    assert_eq!(whole(&json(), vec![pack(0, a), pack(1, b)]), both);
    assert_eq!(named(&refused(&json(), vec![pack(0, a), pack(1, a)])), ["s0", "s1"]);
    // In the order of the plan, also from the tenth on.
    let many = (0..12).map(|index| pack(index, &format!("{{\"returns\": [{index}, {index}]}}"))).collect();
    assert!(whole(&json(), many).starts_with("{\"returns\": [0, 0, 1, 1, 2, 2, 3, 3"));
}
