//! Lines of CleanRL's scripts and of ManiSkill's baselines.

use serde_json::json;

use crate::progress::tests::any_cut::{metrics, read, summary};

fn epoch(number: u64) -> String {
    format!("Epoch: {number}, global_step={}\n", (number - 1) * 2048)
}

const HEAD: &str =
    "Running training\n####\nargs.num_iterations=3 args.num_envs=64 args.num_eval_envs=8\n####\n";
const EVALUATED: &str = "Evaluating\nEvaluated 400 steps resulting in 8 episodes\neval_success_once_mean=0.75\n\
                         eval_return_mean=12.5\neval_episode_len_mean=50.0\neval_success_at_end_mean=0.25\n";

fn done(log: &str) -> (Option<u64>, Option<u64>, &'static str) {
    let (preset, done, total, verdict) = summary(log);
    assert_eq!(preset, "cleanrl");
    (done, total, verdict)
}

#[test]
fn an_episode_tells_the_step_it_ended_at() {
    for reward in ["[-21.5]", "-21.5"] {
        let log = format!(
            "global_step=16, episodic_return=[3.]\nSPS: 900\nglobal_step=40, episodic_return={reward}\n"
        );
        assert_eq!(done(&log), (Some(40), None, "unknown"));
        assert_eq!(metrics(&log), json!({"episode_reward": -21.5, "steps_per_s": 900.0}));
    }
    assert_eq!(done("global_step=16, episodic_return=[nan]\n").2, "invalid");
    assert_eq!(summary("saved at global_step=16, loss=3\nglobal_step=16\nSPS: 3\n").0, "none");
}

#[test]
fn steps_that_are_drawn_over_the_line_count_on() {
    let log = "Evaluated 400 steps resulting in 2 episodes\nGlobal Step: 4096\nUpdating\nGlobal Step: 5120e to the success rate\n";
    assert_eq!(done(log), (Some(5120), None, "unknown"));
}

#[test]
fn a_saved_model_ends_a_training() {
    let steps = "global_step=16, episodic_return=[3.]\nSPS: 900\nglobal_step=40, episodic_return=[4.]\n";
    let saved = format!("{steps}model saved to runs/Walker2d-v4__ppo__3__17/ppo.cleanrl_model\n");
    assert_eq!(
        done(&format!("{saved}eval_episode=0, episodic_return=[5.]\n")),
        (Some(40), None, "succeeded")
    );
    let failed =
        format!("{saved}Traceback (most recent call last):\n  File \"eval.py\", line 3\nKeyError: 'x'\n");
    assert_eq!(done(&failed).2, "failed");
}

#[test]
fn epochs_begin_with_their_number_and_end_with_their_speed() {
    let first = format!("{HEAD}{}{EVALUATED}SPS: 4386\n{}", epoch(1), epoch(2));
    assert_eq!(done(&first), (Some(1), Some(3), "incomplete"));
    assert_eq!(read(&first).unit, "epochs");
    let expected = json!({
        "success_rate": 0.75, "eval_success_rate": 0.75, "mean_reward": 12.5, "eval_mean_reward": 12.5,
        "mean_episode_length": 50.0, "eval_mean_episode_length": 50.0, "steps_per_s": 4386.0, "total_steps": 2048.0,
    });
    assert_eq!(metrics(&first), expected);
    let last = format!("{first}SPS: 4386\n{}", epoch(3));
    assert_eq!(done(&last), (Some(2), Some(3), "incomplete"));
    assert_eq!(
        done(&format!("{last}SPS: 4390\nmodel saved to runs/x/final_ckpt.pt\n")),
        (Some(3), Some(3), "succeeded")
    );
}

#[test]
fn an_evaluation_alone_trains_nothing() {
    let head = HEAD.replace("training", "evaluation");
    assert_eq!(done(&format!("{head}{}Evaluating\n", epoch(1))), (None, None, "unknown"));
    let log = format!("{head}{}{EVALUATED}", epoch(1));
    assert_eq!(done(&log), (Some(8), Some(8), "succeeded"));
    assert_eq!(read(&log).unit, "episodes");
    assert_eq!(metrics(&log)["success_rate"], 0.75);
}
