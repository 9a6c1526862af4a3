//! Lines of rl_games in the form of each version.

use serde_json::json;

use crate::progress::tests::any_cut::{metrics, read, summary};

fn epoch(counts: &str) -> String {
    format!("fps step: 346221 fps step and policy inference: 323417 fps total: 197756 {counts}\n")
}

fn done(log: &str) -> (Option<u64>, Option<u64>, &'static str) {
    let (preset, done, total, verdict) = summary(log);
    assert_eq!(preset, "rl-games");
    (done, total, verdict)
}

#[test]
fn the_limit_that_is_set_measures_the_progress() {
    let at = |counts: &str| {
        let log = epoch(counts);
        (done(&log).0, done(&log).1, read(&log).unit)
    };
    assert_eq!(at("epoch: 7/1000 frames: 1376256"), (Some(7), Some(1000), "epochs"));
    assert_eq!(at("epoch: 7/1000 frames: 1376256/2000000"), (Some(7), Some(1000), "epochs"));
    assert_eq!(at("epoch: 7 frames: 1376256/2000000"), (Some(1_376_256), Some(2_000_000), "frames"));
    assert_eq!(at("epoch: 7 frames: 1376256"), (Some(7), None, "epochs"));
    assert_eq!(at("epoch: 7/1000"), (Some(7), Some(1000), "epochs"));
    assert_eq!(at("epoch: 7/-1"), (Some(7), None, "epochs"));
    assert_eq!(at("epoch: 7/9999999999999 frames: 1376256"), (Some(7), None, "epochs"));
    assert_eq!(at(""), (None, None, "epochs"));
}

#[test]
fn all_that_is_printed_of_a_training_is_read() {
    let log = format!(
        "{}saving next best rewards:  [95.61564]\n=> saving checkpoint 'runs/Ant_08-23/nn/Ant.pth'\n\
         {}=> saving checkpoint 'runs/Ant_08-23/nn/last_Ant_ep_2_rew_-91.5.pth'\n",
        epoch("epoch: 1/2 frames: 0"),
        epoch("epoch: 2/2 frames: 196608"),
    );
    assert_eq!(done(&log), (Some(2), Some(2), "succeeded"));
    let expected = json!({
        "best_reward": 95.61564, "fps_step": 346_221.0, "frames": 196_608.0, "mean_reward": -91.5,
        "steps_per_s": 197_756.0,
    });
    assert_eq!(metrics(&log), expected);
    assert_eq!(done(&format!("{log}MAX EPOCHS NUM!\n")), (Some(2), Some(2), "succeeded"));
    let torn = log.find("2/2").unwrap();
    assert_eq!(done(&log[..torn + 2]), (Some(1), Some(2), "incomplete"));
}

#[test]
fn the_reward_is_in_the_name_of_the_newest_checkpoint() {
    let saved = |name: &str| {
        format!("{}=> saving checkpoint 'runs/x/nn/{name}.pth'\n", epoch("epoch: 2/2 frames: 64"))
    };
    for name in [
        "last_Ant_ep_2_rew_-1.25",
        "last_Ant_ep_2_rew__-1.25_",
        "last_Ant_ep_2_rew_[-1.25]",
        "last_Antep2rew[-1.25]",
        "Ant_ep_2_rew_-1.25",
        "last_Antep=2rew=[-1.25]",
    ] {
        assert_eq!(metrics(&saved(name))["mean_reward"], -1.25, "{name}");
    }
    for name in ["Ant", "Ant_rew_3", "last_Ant_ep_2", "last_screw_2"] {
        assert_eq!(metrics(&saved(name))["mean_reward"], json!(null), "{name}");
    }
    assert_eq!(done(&saved("last_Ant_ep_2_rew__nan_")), (Some(2), Some(2), "invalid"));
}

#[test]
fn older_versions_and_forks_print_other_numbers() {
    let fork = "fps step: 1234.5 fps step and policy inference: 1200.1  fps total: 1100.0 mean reward: -3.25 epoch: 4/9\n\
                saving next best rewards:  95.5\n";
    let expected =
        json!({"best_reward": 95.5, "fps_step": 1234.5, "mean_reward": -3.25, "steps_per_s": 1100.0});
    assert_eq!((done(fork), metrics(fork)), ((Some(4), Some(9), "incomplete"), expected));
    let old = "fps step: 1234.5 fps step and policy inference: 1200.1  fps total: 1100.0\nMean reward: 2.5\n\
               saving next best rewards:  tensor([96.25], device='cuda:0')\n\
               => saving checkpoint 'nn/last_AntRew_ep_200_rew_[7.5].pth'\n";
    let expected =
        json!({"best_reward": 96.25, "fps_step": 1234.5, "mean_reward": 7.5, "steps_per_s": 1100.0});
    assert_eq!((done(old), metrics(old)), ((None, None, "unknown"), expected));
}

#[test]
fn a_score_or_another_limit_may_end_it_early() {
    let counts = "epoch: 412/1000 frames: 1376256/2000000";
    let won = format!("{}Maximum reward achieved. Network won!\n", epoch(counts));
    assert_eq!(done(&won), (Some(412), Some(412), "succeeded"));
    let frames = format!("{}MAX FRAMES NUM!\n", epoch(counts));
    assert_eq!(done(&frames), (Some(412), Some(412), "succeeded"));
    let one_behind = format!("{}MAX FRAMES NUM!\n", epoch("epoch: 7 frames: 1900000/2000000"));
    assert_eq!(done(&one_behind), (Some(2_000_000), Some(2_000_000), "succeeded"));
    assert_eq!(done(&epoch(counts)), (Some(412), Some(1000), "incomplete"));
}

#[test]
fn playing_ends_with_means() {
    let log = "reward: 95.61 steps: 999.0 w: 1\nreward: 90.1 steps: 1000.0 w: 0\n185.7\n\
               av reward: 92.85 av steps: 999.5 winrate: 0.5\n";
    assert_eq!(summary(log), ("rl-games-play".into(), Some(2), None, "succeeded"));
    assert_eq!(metrics(log), json!({"mean_reward": 92.85, "mean_episode_length": 999.5, "win_rate": 0.5}));
}
