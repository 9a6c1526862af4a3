//! Programs that count on plain lines.

/// A training with openpi.
pub fn openpi(log: &mut String, number: u64) {
    let step = 100 * number;
    log.push_str(&format!("Step {step}: grad_norm=0.3471, loss=0.0{}, param_norm=1378.5148\n", step % 89));
}

/// A training with habitat-baselines.
pub fn habitat(log: &mut String, number: u64) {
    let update = 10 * (number + 1);
    log.push_str(&format!(
        "2026-09-29 12:14:38,350 update: {update}\tfps: 30.999\t\n\
         2026-09-29 12:14:38,351 update: {update}\tenv-time: 175.496s\tpth-time: 90.586s\tframes: {}\n\
         2026-09-29 12:14:38,351 Average window size 50 reward: 0.148623\n",
        750 * update
    ));
}

/// A policy that rl_games plays.
pub fn rl_games_play(log: &mut String, number: u64) {
    log.push_str(&format!("reward: {}.57 steps: 999.0\n", 4000 + number % 900));
}

/// A collection of demonstrations with RoboTwin.
pub fn robotwin_collect(log: &mut String, number: u64) {
    log.push_str(&format!(
        "simulate data episode {number} fail! (seed = {})\nsimulate data episode {number} success! (seed = {})\n",
        3 * number,
        3 * number + 1
    ));
}

/// A training with Unity ML-Agents.
pub fn ml_agents(log: &mut String, number: u64) {
    log.push_str(&format!(
        "[INFO] 3DBall. Step: {}. Time Elapsed: {number}.819 s. Mean Reward: 1.139. Std of Reward: 0.710. Training.\n",
        12_000 * number
    ));
}

/// Navigation in Habitat with SemExp.
pub fn sem_exp(log: &mut String, number: u64) {
    log.push_str(&format!(
        "INFO:root:Time: 00d 00h 02m 07s, num timesteps {}, FPS 7,\n\
         \tRewards: Global step mean/med rew: 0.1266/0.1932, ObjectNav succ/spl/dtg: 0.750/0.429/0.031({number}),\n\
         \tLosses:\n",
        10 * number
    ));
}

/// A training with Sample Factory.
pub fn sample_factory(log: &mut String, number: u64) {
    log.push_str(&format!(
        "[2026-07-03 20:57:40,622][80692] Fps is (10 sec: 0.0, 60 sec: 0.0, 300 sec: 166.6). Total num frames: {}. \
         Throughput: 0: 168.5.\n\
         [2026-07-03 20:57:40,622][80692] Avg episode reward: [(0, '29.001')]\n",
        4096 * number
    ));
}

/// A training in MiniGrid with torch-ac.
pub fn torch_ac(log: &mut String, number: u64) {
    log.push_str(&format!(
        "U {number} | F {:06} | FPS 4661 | D 20 | rR:μσmM 0.47 0.47 0.00 0.99 | F:μσmM 8.3 8.2 1.0 68.0 | H 1.589\n",
        2048 * number
    ));
}

/// An evaluation of an agent in ALFWorld.
pub fn alfworld(log: &mut String, number: u64) {
    log.push_str(&format!(
        "Act 50: go to desk 1\n{number} r 0 rs [2, 4, 0, 0, 2, 0] cnts [18, 22, 20, 16, 14, 10] sum(rs)/sum(cnts) 0.08\n"
    ));
}

/// A training with the A2C, PPO and ACKTR of PyTorch.
pub fn a2c_ppo_acktr(log: &mut String, number: u64) {
    log.push_str(&format!(
        "Updates {number}, num timesteps {}, FPS 1260\n Last 10 training episodes: mean/median reward 21.4/21.0, \
         min/max reward 9.0/39.0\n",
        2048 * number
    ));
}

/// An evaluation with VLN-CE.
pub fn habitat_eval(log: &mut String, number: u64) {
    log.push_str(&format!(
        "2026-06-03 14:05:45,243 [Ckpt: 29] [Episodes evaluated: {number}/90000000] [Time elapsed (s): 266]\n"
    ));
}

/// A training with AllenAct.
pub fn allenact(log: &mut String, number: u64) {
    let steps = 5120 * number;
    log.push_str(&format!(
        "[08/01 12:54:13 INFO:] TRAIN: {steps} rollout steps ({{'onpolicy': {steps}}}) ep_length 178 reward -0.6 \
         success 0.06 lr 0.0003 total_loss 0.333 elapsed_time 41s\n"
    ));
}

/// A training with the authors' TD3.
pub fn td3(log: &mut String, number: u64) {
    log.push_str(&format!(
        "Total T: {} Episode Num: {number} Episode T: 1000 Reward: 931.200\n",
        1000 * number
    ));
}

/// A training with PFRL.
pub fn pfrl(log: &mut String, number: u64) {
    log.push_str(&format!(
        "INFO:pfrl.experiments.train_agent:outdir:results/2026 step:{} episode:{number} R:-369.3\n",
        200 * number
    ));
}

/// An open-loop evaluation of Isaac GR00T.
pub fn groot_open_loop(log: &mut String, number: u64) {
    log.push_str(&format!(
        "INFO:root:Running trajectory: {number}\nINFO:root:inferencing at step: 0\n\
         INFO:root:MSE for trajectory {number}: 0.009, MAE: 0.045\n"
    ));
}

/// An evaluation on RLBench.
pub fn rlbench(log: &mut String, number: u64) {
    log.push_str(&format!(
        "Evaluating close_jar | Episode {number} | Score: {}.0 | Episode Length: 12 | Lang Goal: close the red jar\n",
        100 * (number % 2)
    ));
}

/// An evaluation with lm-evaluation-harness.
pub fn lm_eval(log: &mut String, number: u64) {
    let done = number % 40_168;
    log.push_str(&format!(
        "\rRunning loglikelihood requests:  12%|█▏        | {done}/40168 [10:11<02:00, 65.64it/s]"
    ));
}

/// A training with the trainer of Hugging Face.
pub fn hf_trainer(log: &mut String, number: u64) {
    log.push_str(&format!(
        "{{'loss': 0.6{}, 'grad_norm': 1.2, 'learning_rate': 4e-05, 'epoch': {}.5}}\n\
         \r 12%|█▏        | {number}/90000000 [10:11<02:00,  1.64it/s]",
        number % 97,
        number / 100
    ));
}

/// A training with a script of diffusers.
pub fn diffusers(log: &mut String, number: u64) {
    log.push_str(&format!(
        "02/23/2025 15:43:20 - INFO - __main__ -   Total optimization steps = 90000000\n\
         \rSteps:  12%|█▏        | {number}/90000000 [10:11<02:00,  1.64it/s, lr=4e-5, step_loss=0.09]"
    ));
}

/// A training with verl.
pub fn verl(log: &mut String, number: u64) {
    log.push_str(&format!(
        "(TaskRunner pid=38457) step:{number} - global_seqlen/min:41137.000 - actor/pg_loss:0.020 - critic/score/mean:0.507\n"
    ));
}

/// A training with MuJoCo Playground.
pub fn playground(log: &mut String, number: u64) {
    log.push_str(&format!("{}: reward={}.110\n", 40_960 * number, number % 900));
}

/// Training with RLLTE, in the words of DrQ-v2.
pub fn drqv2(log: &mut String, number: u64) {
    let (steps, reward) = (1000 * number, 200.0 + number as f64 / 3.0);
    log.push_str(&format!(
        "[08/28/2026 05:57:30 PM] - [TRAIN] - S: {steps:<11} | E: {number:<11} | L: 500         | R: {reward:<11.3} | FPS: 61.594    | T: 0:00:16\n"
    ));
}

/// An evaluation of BEHAVIOR with OmniGibson.
pub fn omnigibson(log: &mut String, number: u64) {
    let (successes, trials) = (number / 3, number + 1);
    log.push_str(&format!(
        "[INFO] [omnigibson.learning.eval] Starting task instance {number} for evaluation...\n\
         [INFO] [omnigibson.learning.eval] Current step: 1000\n\
         [INFO] [omnigibson.learning.eval] Evaluation finished at step 1904.\n\
         [INFO] [omnigibson.learning.eval] Evaluation exit state: False, True\n\
         [INFO] [omnigibson.learning.eval] Total trials: {trials}\n\
         [INFO] [omnigibson.learning.eval] Total success trials: {successes}\n"
    ));
}

/// Evaluations of world models with stable-worldmodel.
pub fn stable_worldmodel(log: &mut String, number: u64) {
    log.push_str(
        "04:26:30.444 | INFO    (11582, stable_worldmodel.world) | World swm/TwoRoom-v1 initialized\n\
         04:26:30.445 | INFO    (11582, stable_worldmodel.world) | Box(-1.0, 1.0, (50, 2), float32)\n",
    );
    // One for each plan: an evaluation makes many.
    for plan in 0..40 {
        log.push_str(&format!("CEM solve time: {plan}.6529 seconds\n"));
    }
    log.push_str(&format!(
        "Video saved to /dev/shm/.stable_worldmodel\n\
         {{'success_rate': {0}.0, 'episode_successes': array([ True, False]), 'seeds': None}}\n",
        number % 100
    ));
}

/// Training with CrowdNav.
pub fn crowdnav(log: &mut String, number: u64) {
    log.push_str(&format!(
        "2022-05-15 01:08:39, INFO: TRAIN in episode {number} has success rate: 1.00, collision rate: 0.00, nav time: 8.25, \
         total reward: 0.4259\n"
    ));
}

/// Training with detectron2.
pub fn detectron2(log: &mut String, number: u64) {
    log.push_str(&format!(
        "[03/04 14:24:18 d2.utils.events]:  eta: 5:39:55  iter: {number}  total_loss: 2.072    time: 0.2284  \
         last_time: 0.2373  data_time: 0.0043  last_data_time: 0.0042   lr: 9.2426e-06  max_mem: 4076M\n"
    ));
}

/// Training that counts its iterations aloud and knows no end.
pub fn steps(log: &mut String, number: u64) {
    log.push_str(&format!(
        "********** Iteration {number} ************\n\nCollecting data to be used for training...\n\
         Train_AverageReturn : 181.5\nTrain_StdReturn : 27.299266815185547\nActor Loss : 57.95902633666992\nDone logging...\n"
    ));
}

/// Training with RLlib.
pub fn rllib(log: &mut String, number: u64) {
    log.push_str(&format!(
        "Result for PPO_cartpole_96499_00000:\n  agent_timesteps_total: {0}\n  episode_len_mean: 16.0\n  episode_reward_mean: {number}.5\n\
         \x20 num_workers: 2\n  time_this_iter_s: 1.2528\n  timesteps_total: {0}\n  training_iteration: {number}\n  trial_id: 96499_00000\n",
        4000 * number
    ));
}

/// An evaluation on the leaderboard of CARLA: one route, with the remarks of its agent.
pub fn carla_leaderboard(log: &mut String, number: u64) {
    log.push_str(&format!(
        "\u{1b}[1m========= Preparing RouteScenario_{number} (repetition 0) =========\u{1b}[0m\n\
         \u{1b}[1m> Loading the world\u{1b}[0m\n\u{1b}[1m> Running the route\u{1b}[0m\n"
    ));
    for step in 0..20 {
        log.push_str(&format!(
            "=== [Agent] -- Wallclock = 2025-12-11 15:06:{:02}.022 -- System time = {step}.313 -- Game time = {step}.200\n",
            step % 60
        ));
    }
    log.push_str(&format!(
        "\u{1b}[1m========= Results of RouteScenario_{number} (repetition 0) ------ FAILURE =========\u{1b}[0m\n\
         \u{1b}[1m> Registering the route statistics\u{1b}[0m\n"
    ));
}

/// An evaluation of 3D Diffusion Policy: a bar of 20 episodes and the means of all.
pub fn dp3(log: &mut String, number: u64) {
    for episode in 0..=20 {
        log.push_str(&format!(
            "Eval in MetaWorld reach-{number} Pointcloud Env: {:3}%|████████| {episode}/20 [05:22<00:00, 16.12s/it]\r",
            episode * 5
        ));
    }
    log.push_str(
        "\n---------------- Eval Results --------------\nmean_traj_rewards: 1021.5000\n\
         mean_success_rates: 0.3500\ntest_mean_score: 0.3500\nSR_test_L3: 0.3500\nSR_test_L5: 0.3500\n",
    );
}

/// A search with Optuna: one trial.
pub fn optuna(log: &mut String, number: u64) {
    log.push_str(&format!(
        "[I 2024-05-02 10:14:03,118] Trial {number} finished with value: 182.4 and parameters: \
         {{'lr': 0.00031, 'batch_size': 64, 'gamma': 0.99}}. Best is trial 0 with value: 182.4.\n"
    ));
}

/// A training with PyMARL: the statistics and the count of ten thousand steps.
pub fn pymarl(log: &mut String, number: u64) {
    let step = (number + 1) * 10_000;
    log.push_str(&format!(
        "[INFO 12:12:37] my_main Recent Stats | t_env:      {step} | Episode:      818\n\
         battle_won_mean:           0.0000\tdead_allies_mean:          2.9823\tdead_enemies_mean:         0.0027\n\
         return_mean:               2.0158\treturn_std:                0.3407\ttarget_mean:               0.0380\n\
         [INFO 12:12:37] my_main t_env: {step} / 2050000000\n\
         [INFO 12:12:37] my_main Estimated time left: 6 hours, 17 minutes, 28 seconds. Time passed: 3 minutes\n\
         [INFO 12:13:21] my_main Updated target network\n"
    ));
}

/// A training with StyleGAN3: one tick.
pub fn stylegan(log: &mut String, number: u64) {
    log.push_str(&format!(
        "tick {number:<5} kimg {:<8.1} time 8m 06s       sec/tick 143.3   sec/kimg 35.84   maintenance 2.2    \
         cpumem 4.71   gpumem 5.61   reserved 6.31   augment 0.410\n",
        number as f64 * 4.0,
    ));
}
