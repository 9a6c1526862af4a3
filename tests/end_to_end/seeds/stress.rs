//! The stress test of one GPU.

use std::fs;

use serde_json::Value;

use super::{among_stand_ins, put_sweep};
use crate::harness::place::{Ended, Place, Run};
use crate::harness::wait::until;

#[test]
fn one_number_after_the_other_is_measured_and_the_report_says_what_it_costs() {
    let place = Place::with_gpus("gpu 0\n total 96 GiB\n power 200\n");
    put_sweep(&place, "h100_stress.toml", &[("cooldown = \"10s\"", "cooldown = \"10ms\"")]);
    fs::create_dir(place.path().join("gate")).expect("a folder");
    let words = [
        "run",
        "h100_stress.toml",
        "--detach",
        "--out",
        "r",
        "--only",
        "num_envs=4096,num_envs=8192,num_envs=16384",
    ];
    let mut command = among_stand_ins(&place, &words);
    command.env("STAND_IN_GATE", place.path().join("gate"));
    let ended = Ended::of(&mut command);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let run = Run { place: &place, dir: place.path().join("r") };
    for (shard, mib) in [("envs_4096", 7882), ("envs_8192", 10240), ("envs_16384", 13442_u64)] {
        until(&format!("{shard} is measured"), || run.shard(shard)["vram_bytes"] == mib << 20);
        assert_eq!(run.count("running"), 1, "one at a time");
        place.write(&format!("gate/{shard}"), "");
    }
    assert_eq!(run.wait(), Some(1), "physics that drops contacts is no success");
    assert_eq!(run.shard("envs_16384")["reason"], "invalid");
    assert!(place.path().join("r/compiled").exists(), "kernels were compiled before");

    let summary: Value =
        serde_json::from_str(&place.read("r/results/summary.json").expect("a summary")).expect("JSON");
    let scaling = &summary["scaling"][0];
    assert_eq!((&scaling["axis"], &scaling["last_valid"]), (&"num_envs".into(), &8192.0.into()), "{scaling}");
    let best = &scaling["points"][1];
    assert_eq!(best["steps_per_s"], 36447.0);
    let per_watt = best["steps_per_s_per_w"].as_f64().expect("the power was read");
    assert!((per_watt - 36447.0 / 200.0).abs() < 1e-6, "{per_watt}");
    let seconds = best["seconds_for_steps"]["34000000"].as_f64().expect("a time");
    assert!((seconds - 34e6 / 36447.0).abs() < 1e-6, "{seconds}");
    let text = place.read("r/results/report.md").expect("a report");
    assert!(text.contains("34M steps | 100M steps | 500M steps"), "{text}");
    assert!(
        text.contains("| 8192 | 36447 | 1.49× | 182 | 10.0 GiB | 15m 32s | 45m 43s | 3h 48m |"),
        "{text}"
    );
    let page = place.read("r/results/report.html").expect("a page");
    assert!(page.contains("<th>34M steps</th>") && page.contains("<td>15m 32s</td>"), "{page}");
}
