//! Files of LeRobot, rows and other documents are cut as shards would write them, and merged again.

use proptest::prelude::*;

use super::json::Json;
use super::mean::Arithmetic;
use super::merging::{Gaps, Merged, merge_pieces};
use super::piece::{Piece, PieceFault, PieceRefusal, PieceWork};
use super::python_float::repr;
use crate::model::ids::ShardId;
use crate::model::results::results_spec::{Merge, MergeRule, MergeWay, ResultsSpec, RowMeaning};

fn spec(merge: Merge) -> ResultsSpec {
    ResultsSpec { merge, ..ResultsSpec::default() }
}

fn piece(name: &str, ids: &[u64], text: impl Into<String>) -> Piece {
    let work = PieceWork::Episodes(ids.to_vec());
    let file = format!("{name}/results");
    Piece { shard: ShardId::new(name).unwrap(), work, file, bytes: text.into().into_bytes() }
}

fn whole(spec: &ResultsSpec, pieces: Vec<Piece>) -> String {
    match merge_pieces(spec, pieces, Vec::new(), Gaps::Refused) {
        Merged::Whole(made) => made.text,
        other => panic!("{other:?}"),
    }
}

fn refused(spec: &ResultsSpec, pieces: Vec<Piece>) -> Vec<(String, PieceFault, String)> {
    match merge_pieces(spec, pieces, Vec::new(), Gaps::Refused) {
        Merged::Refused(refusals) => refusals
            .into_iter()
            .map(|PieceRefusal { shard, fault, why, .. }| (shard.to_string(), fault, why))
            .collect(),
        other => panic!("{other:?}"),
    }
}

/// The slices of a serial run, contiguous or dealt out.
fn slices(total: u64, shards: u64, dealt: bool) -> Vec<Vec<u64>> {
    let of = |shard: u64| -> Vec<u64> {
        let contiguous = total * shard / shards..total * (shard + 1) / shards;
        if dealt { (shard..total).step_by(shards as usize).collect() } else { contiguous.collect() }
    };
    (0..shards).map(of).filter(|ids| !ids.is_empty()).collect()
}

fn reward(task: u64, episode: u64) -> f64 {
    (episode * 7919 % 1009) as f64 / 7.0 * 10_f64.powi((episode % 4) as i32) - task as f64
}

fn success(task: u64, episode: u64) -> bool {
    !(episode * 31 + task * 7).is_multiple_of(3)
}

/// What LeRobot writes for these episodes of each of two suites with two tasks.
fn per_task(ids: &[u64]) -> String {
    let arithmetic = Arithmetic::ALL[0];
    let list = |items: Vec<String>| {
        if items.is_empty() { "[]".to_owned() } else { format!("[{}]", items.join(", ")) }
    };
    let rewards = |task: u64| -> Vec<f64> { ids.iter().map(|id| reward(task, *id)).collect() };
    let outcomes =
        |task: u64| -> Vec<f64> { ids.iter().map(|id| f64::from(u8::from(success(task, *id)))).collect() };
    let summary = |tasks: &[u64], more: &str| {
        let rewards: Vec<f64> = tasks.iter().flat_map(|task| rewards(*task)).collect();
        let outcomes: Vec<f64> = tasks.iter().flat_map(|task| outcomes(*task)).collect();
        format!(
            "{{\"avg_sum_reward\": {}, \"avg_max_reward\": NaN, \"pc_success\": {}, \"n_episodes\": {}{more}}}",
            repr(arithmetic.mean(&rewards)),
            repr(arithmetic.percent(&outcomes)),
            rewards.len()
        )
    };
    let task = |suite: &str, id: u64, task: u64| {
        format!(
            "{{\"task_group\": \"{suite}\", \"task_id\": {id}, \"metrics\": {{\"sum_rewards\": {}, \"max_rewards\": {}, \"successes\": {}}}}}",
            list(rewards(task).into_iter().map(repr).collect()),
            list(ids.iter().map(|_| "NaN".to_owned()).collect()),
            list(ids.iter().map(|id| success(task, *id).to_string()).collect()),
        )
    };
    let seconds = ids.len() as f64 / 8.0;
    let each = seconds / (4 * ids.len()) as f64;
    let timing = format!(", \"eval_s\": {}, \"eval_ep_s\": {}", repr(seconds), repr(each));
    let tasks = [task("spatial", 0, 0), task("spatial", 1, 1), task("goal", 0, 2), task("goal", 1, 3)];
    let text = format!(
        "{{\"per_task\": [{}], \"per_group\": {{\"spatial\": {}, \"goal\": {}}}, \"overall\": {}}}",
        tasks.join(", "),
        summary(&[0, 1], ""),
        summary(&[2, 3], ""),
        summary(&[0, 1, 2, 3], &timing)
    );
    indented(&text)
}

/// As `json.dump(info, file, indent=2)` writes it.
fn indented(text: &str) -> String {
    super::json::Style::from_text("{\n  \"a\": 1}").write(&Json::parse(text).unwrap())
}

/// The older form, whose pieces count their episodes from 0.
fn per_episode(ids: &[u64], own: bool) -> String {
    let arithmetic = Arithmetic::ALL[0];
    let episode = |(place, id): (u64, &u64)| {
        format!(
            "{{\"episode_ix\": {}, \"sum_reward\": {}, \"max_reward\": 0.5, \"success\": {}, \"seed\": {}}}",
            if own { place } else { *id },
            repr(reward(0, *id)),
            success(0, *id),
            1000 + id
        )
    };
    let episodes: Vec<String> = (0..).zip(ids).map(episode).collect();
    let rewards: Vec<f64> = ids.iter().map(|id| reward(0, *id)).collect();
    let outcomes: Vec<f64> = ids.iter().map(|id| f64::from(u8::from(success(0, *id)))).collect();
    let seconds = ids.len() as f64 / 4.0;
    indented(&format!(
        "{{\"per_episode\": [{}], \"aggregated\": {{\"avg_sum_reward\": {}, \"avg_max_reward\": 0.5, \"pc_success\": {}, \"eval_s\": {}, \"eval_ep_s\": 0.25}}}}",
        episodes.join(", "),
        repr(arithmetic.mean(&rewards)),
        repr(arithmetic.percent(&outcomes)),
        repr(seconds)
    ))
}

fn cut(total: u64, shards: u64, dealt: bool, write: impl Fn(&[u64]) -> String) -> Vec<Piece> {
    let slices = slices(total, shards, dealt);
    slices.iter().enumerate().map(|(index, ids)| piece(&format!("s{index}"), ids, write(ids))).collect()
}

fn lines(ids: &[u64]) -> String {
    ids.iter().map(|id| format!("{{\"episode\": {}, \"r\": {}}}\n", id + 1, repr(reward(0, *id)))).collect()
}

fn records(ids: &[u64]) -> String {
    let row = |id: &u64| format!("{id},\"a, {id}\",{}\r\n", repr(reward(0, *id)));
    format!("episode,note,reward\r\n{}", ids.iter().map(row).collect::<String>())
}

#[test]
fn a_hundred_and_three_episodes_over_five_shards_are_the_serial_file_to_the_last_byte() {
    let all: Vec<u64> = (0..103).collect();
    for dealt in [false, true] {
        let pieces = cut(103, 5, dealt, per_task);
        assert_eq!(whole(&spec(Merge::Lerobot), pieces), per_task(&all));
        for own in [false, true] {
            let pieces = cut(103, 5, dealt, |ids| per_episode(ids, own));
            assert_eq!(whole(&spec(Merge::Lerobot), pieces), per_episode(&all, false));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pieces_in_any_order_and_grouping_are_the_serial_file(
        total in 1_u64..60, shards in 1_u64..8, dealt: bool, order in proptest::collection::vec(any::<u32>(), 8), split in 0_usize..8
    ) {
        let all: Vec<u64> = (0..total).collect();
        type Write = fn(&[u64]) -> String;
        let formats: [(Merge, Write); 4] = [
            (Merge::Lerobot, per_task),
            (Merge::Lerobot, |ids| per_episode(ids, false)),
            (Merge::Jsonl, lines),
            (Merge::Csv, records),
        ];
        for (format, write) in formats {
            let spec = spec(format);
            let mut pieces = cut(total, shards.min(total), dealt, write);
            let mut keys = order.iter();
            pieces.sort_by_cached_key(|_| keys.next().copied());
            prop_assert_eq!(whole(&spec, pieces.clone()), write(&all));
            // Some of them first, and what they came to with the others.
            let split = split.min(pieces.len());
            let (some, others) = pieces.split_at(split);
            if split > 1 {
                let ids = some.iter().flat_map(|piece| piece.work.episode_ids().unwrap());
                let mut ids: Vec<u64> = ids.copied().collect();
                ids.sort_unstable();
                let first = piece("first", &ids, whole(&spec, some.to_vec()));
                let all_of_them = others.iter().cloned().chain([first]).collect();
                prop_assert_eq!(whole(&spec, all_of_them), write(&all));
            }
        }
    }
}

#[test]
fn episodes_that_are_missing_or_those_of_another_are_refused_by_name() {
    let lerobot = spec(Merge::Lerobot);
    let mut short = cut(10, 2, false, per_task);
    short[1].bytes = per_task(&[5, 6, 7, 8]).into_bytes();
    let told = refused(&lerobot, short);
    assert_eq!(told[0].0, "s1");
    assert_eq!(told[0].1, PieceFault::Incomplete);
    assert_eq!(told[0].2, "task goal 0 has 4 of 5 episodes in `successes`");

    // What a shard with `seed + K * ceil(n / N)` does: it skips a seed, and one more at its end.
    let mut skipping = cut(10, 2, false, |ids| per_episode(ids, true));
    let text = per_episode(&[6, 7, 8, 9, 10], true);
    skipping[1].bytes = text.into_bytes();
    let told = refused(&lerobot, skipping);
    let why = "episode 5 has the seed 1006 in place of 1005";
    assert_eq!(told, [("s1".to_owned(), PieceFault::Different, why.to_owned())]);

    let mut again = cut(10, 2, false, |ids| per_episode(ids, true));
    again[1].bytes = per_episode(&[0, 1, 2, 3, 4], true).into_bytes();
    let why = "episode 5 has the seed 1000 in place of 1005, which s0 has already";
    assert_eq!(refused(&lerobot, again), [("s1".to_owned(), PieceFault::Overlapping, why.to_owned())]);

    let mut replayed = cut(6, 2, false, lines);
    replayed[1].bytes = lines(&[2, 3, 4]).into_bytes();
    let why = "it has episode 3 of s0";
    assert_eq!(
        refused(&spec(Merge::Jsonl), replayed),
        [("s1".to_owned(), PieceFault::Overlapping, why.to_owned())]
    );
}

#[test]
fn slices_of_a_program_that_ignores_its_seed_are_refused() {
    let per_task = cut(10, 2, false, |_| per_task(&[0, 1, 2, 3, 4]));
    let without_seeds = |ids: &[u64]| {
        let record =
            |id: &u64| format!("{{\"episode_ix\": {id}, \"sum_reward\": {}}}", repr(reward(0, id % 5)));
        format!("{{\"per_episode\": [{}]}}", ids.iter().map(record).collect::<Vec<_>>().join(", "))
    };
    for pieces in [per_task, cut(10, 2, false, without_seeds)] {
        let told = refused(&spec(Merge::Lerobot), pieces);
        let faults: Vec<(&str, PieceFault)> =
            told.iter().map(|(shard, fault, _)| (shard.as_str(), *fault)).collect();
        assert!(faults.starts_with(&[("s0", PieceFault::Duplicate)]), "{told:?}");
        assert!(faults.contains(&("s1", PieceFault::Duplicate)), "{told:?}");
        assert!(told[0].2.contains("value by value; does the command use `{{ shard.seed }}`"), "{told:?}");
    }
}

#[test]
fn averages_without_lists_are_refused() {
    let text = "{\"overall\": {\"pc_success\": 50.0, \"n_episodes\": 4}}";
    let told = refused(&spec(Merge::Lerobot), vec![piece("a", &[0, 1], text), piece("b", &[2, 3], text)]);
    assert_eq!(told.len(), 2);
    assert_eq!(told[0].2, "it has averages only, and no lists of episodes to make one from");
}

#[test]
fn what_is_asked_for_with_gaps_says_so() {
    let missing = PieceRefusal::new(&ShardId::new("s1").unwrap(), PieceFault::Missing, "it failed");
    let first = cut(4, 2, false, per_task).remove(0);
    let merged = merge_pieces(&spec(Merge::Lerobot), vec![first], vec![missing], Gaps::Told);
    let Merged::Partial { made, without } = merged else { panic!("{merged:?}") };
    let document = Json::parse(&made.text).unwrap();
    assert_eq!(document.get("partial"), Some(&Json::Word("true".to_owned())));
    assert_eq!(document.get("missing"), Some(&Json::List(vec![Json::quoted_string("s1")])));
    assert_eq!(document.get("overall").unwrap().get("n_episodes").unwrap().display_text(), "8");
    assert_eq!(without.len(), 1);
}

#[test]
fn shards_made_of_tasks_have_each_task_once() {
    let tasks = |ids: &[u64], of: &[u64]| {
        let task = |id: &u64| {
            format!(
                "{{\"task_group\": \"goal\", \"task_id\": {id}, \"metrics\": {{\"sum_rewards\": [1.0, 2.0], \"successes\": [true, false]}}}}"
            )
        };
        let list: Vec<String> = ids.iter().map(task).collect();
        let text = format!(
            "{{\"per_task\": [{}], \"overall\": {{\"avg_sum_reward\": 1.5, \"pc_success\": 50.0, \"n_episodes\": {}, \"eval_s\": 2.0, \"eval_ep_s\": {}}}}}",
            list.join(", "),
            ids.len() * 2,
            repr(2.0 / (ids.len() * 2) as f64)
        );
        let shard = ShardId::new(format!("t{}", of[0])).unwrap();
        let file = "eval_info.json".to_owned();
        Piece { shard, work: PieceWork::Tasks(of.to_vec()), file, bytes: indented(&text).into_bytes() }
    };
    let lerobot = spec(Merge::Lerobot);
    let text = whole(&lerobot, vec![tasks(&[3, 4], &[3, 4]), tasks(&[0, 1, 2], &[0, 1, 2])]);
    let document = Json::parse(&text).unwrap();
    let ids = document.get("per_task").unwrap().items().unwrap();
    let ids: Vec<i64> = ids.iter().map(|task| task.get("task_id").unwrap().as_integer().unwrap()).collect();
    assert_eq!(ids, [0, 1, 2, 3, 4]);
    let overall = document.get("overall").unwrap();
    assert_eq!(overall.get("n_episodes").unwrap().display_text(), "10");
    assert_eq!(overall.get("eval_s").unwrap().display_text(), "4.0");
    let told = refused(&lerobot, vec![tasks(&[0, 1], &[0, 1]), tasks(&[1, 2], &[2, 3])]);
    let why = "it has task 1 of t0";
    assert_eq!(told, [("t2".to_owned(), PieceFault::Overlapping, why.to_owned())]);
}

#[test]
fn videos_stay_apart_and_those_that_were_overwritten_are_told() {
    let info = |path: &str| {
        format!(
            "{{\"per_task\": [{{\"task_group\": \"g\", \"task_id\": 0, \"metrics\": {{\"successes\": [true], \"video_paths\": [\"{path}\"]}}}}], \"overall\": {{\"pc_success\": 100.0, \"video_paths\": []}}}}"
        )
    };
    let both = |a: &str, b: &str| {
        let pieces = vec![piece("a", &[0], info(a)), piece("b", &[1], info(b))];
        match merge_pieces(&spec(Merge::Lerobot), pieces, Vec::new(), Gaps::Refused) {
            Merged::Whole(made) => made,
            other => panic!("{other:?}"),
        }
    };
    let made = both("/a/0.mp4", "/b/0.mp4");
    let document = Json::parse(&made.text).unwrap();
    let paths = document.get("overall").unwrap().get("video_paths").unwrap();
    assert_eq!(paths, &Json::List(vec![Json::quoted_string("/a/0.mp4"), Json::quoted_string("/b/0.mp4")]));
    assert_eq!(made.notes, Vec::<String>::new());
    let told = "v/0.mp4 was written by a and b: only the last of them is there";
    assert_eq!(both("v/0.mp4", "v/0.mp4").notes, [told]);
}

#[test]
fn rows_are_counted_and_numbered_as_in_the_serial_run() {
    let jsonl = spec(Merge::Jsonl);
    let own = |ids: &[u64]| -> String {
        let rows = ids.iter().enumerate();
        rows.map(|(place, id)| format!("{{\"ep\":{place},\"x\":{id}.50}}\n")).collect()
    };
    let all: Vec<u64> = (0..7).collect();
    for dealt in [false, true] {
        assert_eq!(whole(&jsonl, cut(7, 3, dealt, own)), own(&all));
    }
    let unnumbered = |ids: &[u64]| ids.iter().map(|id| format!("{{\"x\": {id}}}\n")).collect::<String>();
    assert_eq!(whole(&jsonl, cut(7, 3, true, unnumbered)), unnumbered(&all));
    let mut short = cut(4, 2, false, unnumbered);
    short[0].bytes = unnumbered(&[0]).into_bytes();
    let told = refused(&jsonl, short.clone());
    assert!(told[0].2.starts_with("it has 1 rows for 2 episodes"), "{told:?}");
    let any = ResultsSpec { rows: RowMeaning::Any, ..jsonl.clone() };
    assert_eq!(whole(&any, short), unnumbered(&[0, 2, 3]));
    let torn = vec![piece("a", &[0], "{\"x\": 1}\n"), piece("b", &[1], "{\"x\": ")];
    assert_eq!(refused(&jsonl, torn)[0].2, "its last line, 1, is torn");
    let twice = vec![piece("a", &[0], lines(&[0])), piece("b", &[1, 2], lines(&[1, 2, 2]))];
    assert_eq!(refused(&jsonl, twice)[0].2, "it has episode 3 more than once: 3 rows for 2 episodes");
}

#[test]
fn rows_with_seeds_of_another_piece_are_refused() {
    let row = |seed: u64| format!("{{\"seed\": {seed}, \"x\": 1}}\n");
    let pieces = vec![piece("a", &[0, 1], row(7) + &row(8)), piece("b", &[2, 3], row(8) + &row(9))];
    let why = "it has episodes of a: the seed 8 is in both";
    assert_eq!(
        refused(&spec(Merge::Jsonl), pieces),
        [("b".to_owned(), PieceFault::Overlapping, why.to_owned())]
    );
}

#[test]
fn tables_must_have_the_same_columns() {
    let pieces = vec![piece("a", &[0], "x,y\n1,2\n"), piece("b", &[1], "y,x\n1,2\n")];
    assert_eq!(refused(&spec(Merge::Csv), pieces)[0].2, "its header is `y,x`, that of a `x,y`");
}

#[test]
fn other_documents_follow_the_rules_of_the_sweep() {
    let rule = |key: &str, way: MergeWay| MergeRule { key: key.parse().unwrap(), way };
    let weight = Some("n".parse().unwrap());
    let rules = vec![
        rule("n", MergeWay::Sum),
        rule("*.rate", MergeWay::Mean { weight: None }),
        rule("score", MergeWay::Mean { weight }),
        rule("worst", MergeWay::Min),
        rule("host", MergeWay::List),
    ];
    let json = ResultsSpec { rules, ..spec(Merge::Json) };
    let a = "{\"policy\": \"x\", \"n\": 3, \"all\": {\"rate\": 1.0}, \"score\": 2, \"worst\": 0.5, \"host\": \"u\", \"list\": [1, 2, 3]}";
    let b = "{\"policy\": \"x\", \"n\": 1, \"all\": {\"rate\": 0.0}, \"score\": 6, \"worst\": 0.25, \"host\": \"v\", \"list\": [4]}";
    let pieces = |b: &str| vec![piece("b", &[3], b), piece("a", &[0, 1, 2], a)];
    let expected = "{\"policy\": \"x\", \"n\": 4, \"all\": {\"rate\": 0.75}, \"score\": 3.0, \"worst\": 0.25, \"host\": [\"u\", \"v\"], \"list\": [1, 2, 3, 4]}";
    assert_eq!(whole(&json, pieces(b)), expected);
    let told = refused(&json, pieces(&b.replace("\"x\"", "\"y\"")));
    let why = "`policy` is y there and x in a: give `policy` a rule under `[results.rules]`, such as `sum` or `mean`";
    assert_eq!(told, [("b".to_owned(), PieceFault::Different, why.to_owned())]);
}
