#!/usr/bin/env python3
"""Evaluates a policy on a locomotion task of Gymnasium: MuJoCo on the CPU, without GPU and without rendering.

Prints a line per episode and writes episodes.jsonl (each episode when it ends) and eval_info.json. SIGINT and SIGTERM
end it early; what is done by then is saved. Success is to stand until the time limit. HalfCheetah cannot fall: it has
to come FAR_ENOUGH metres forward instead.
"""

import argparse
import json
import os
import signal
import sys
import time
from pathlib import Path

# Both must stand before MuJoCo and NumPy are imported: no renderer, and one thread in each of many workers.
os.environ.setdefault("MUJOCO_GL", "disabled")
os.environ.setdefault("OMP_NUM_THREADS", "1")

try:
    import gymnasium
    import numpy as np
except ImportError as error:
    sys.exit(f'worker.py: {error}; run: {sys.executable} -m pip install "gymnasium[mujoco]"')

FAR_ENOUGH = 10.0

# How far joints and speeds are drawn from rest at the start: so far that the controllers below sometimes lose.
START_NOISE = {"Ant-v5": 0.25, "HalfCheetah-v5": 0.3, "Hopper-v5": 0.15, "Walker2d-v5": 0.2}


class Stopped(Exception):
    """A signal asked for the end; its number is the argument."""


class RandomPolicy:
    """Torques drawn evenly, anew in each step."""

    def __init__(self, env):
        self.space = env.action_space

    def reset(self, seed):
        self.space.seed(seed)

    def act(self, step):
        return self.space.sample()


class FeedbackPolicy:
    """Proportional and derivative feedback on the joints. Most gains come from a random search."""

    def __init__(self, env):
        self.sim = env.unwrapped
        model = self.sim.model
        joints = model.actuator_trnid[:, 0]
        self.angle_at, self.speed_at = model.jnt_qposadr[joints], model.jnt_dofadr[joints]
        self.middle = model.jnt_range[joints].mean(axis=1)
        self.command = {
            "Ant-v5": self.crouch,
            "HalfCheetah-v5": self.gallop,
            "Hopper-v5": self.balance_on_one_leg,
            "Walker2d-v5": self.balance_on_two_legs,
        }[env.spec.id]

    def reset(self, seed):
        """It draws nothing."""

    def act(self, step):
        return np.clip(self.command(step * self.sim.dt), -1.0, 1.0)

    def toward(self, target, stiffness, damping):
        data = self.sim.data
        return stiffness * (target - data.qpos[self.angle_at]) - damping * data.qvel[self.speed_at]

    def crouch(self, now):
        return self.toward(self.middle, 0.5, 0.05)

    def gallop(self, now):
        swing = np.array([0.447, 0.191, 0.602, 0.957, 0.043, 0.524])
        phase = np.array([-1.167, 0.935, 2.846, 2.992, 5.829, 2.816])
        return self.toward(swing * np.sin(2 * np.pi * 2.32 * now + phase), 1.0, 0.014)

    def balance_on_one_leg(self, now):
        lean, falling, drift = self.trunk()
        balance = (
            lean * np.array([0.215, -0.744, -0.243])
            + falling * np.array([0.032, -0.133, -0.190])
            + drift * np.array([0.067, 0.025, -0.195])
        )
        return self.toward(np.array([-0.225, -0.188, 0.312]), 0.883, 0.273) + balance

    def balance_on_two_legs(self, now):
        lean, falling, drift = self.trunk()
        balance = (
            lean * np.array([-0.595, -1.369, -0.369])
            + falling * np.array([0.027, -0.527, -0.019])
            + drift * np.array([-0.040, -0.223, -0.232])
        )
        # One foot before the other; thigh, shin and foot of the right leg come first.
        stance = np.array([0.070, -0.367, 0.206, -0.570, -0.367, 0.206])
        return self.toward(stance, 2.243, 0.212) + np.tile(balance, 2)

    def trunk(self):
        """Lean, how fast it grows, and the speed forward: of the robots that live in a plane."""
        data = self.sim.data
        return data.qpos[2], data.qvel[2], data.qvel[0]


class Results:
    """What is printed and written."""

    def __init__(self, args):
        self.args = args
        self.episodes = []
        self.started = time.monotonic()
        args.output.mkdir(parents=True, exist_ok=True)
        self.lines = open(args.output / "episodes.jsonl", "w", encoding="utf-8", buffering=1)

    def add(self, episode):
        self.episodes.append(episode)
        self.lines.write(json.dumps(episode) + "\n")
        say(
            f"Episode {len(self.episodes)}/{self.args.episodes} reward={episode['reward']:.2f} "
            f"length={episode['length']} success={int(episode['success'])}"
        )

    def finish(self, complete):
        count = len(self.episodes)
        successes = sum(episode["success"] for episode in self.episodes)
        info = {
            "env": self.args.env,
            "policy": self.args.policy,
            "seed": self.args.seed,
            "complete": complete,
            "episodes": count,
            "successes": successes,
            "success_rate": successes / count if count else None,
            "mean_reward": self.mean("reward"),
            "mean_length": self.mean("length"),
            "mean_distance": self.mean("distance"),
            "elapsed_s": time.monotonic() - self.started,
        }
        (self.args.output / "eval_info.json").write_text(json.dumps(info, indent=2) + "\n", encoding="utf-8")
        say("Evaluation complete!" if complete else f"Stopped with {count} of {self.args.episodes} done; these are saved")
        say(f"Total episodes: {count}")
        if count:
            say(f"Success rate: {100 * info['success_rate']:.1f}% ({successes} of {count})")
            say(f"Mean reward: {info['mean_reward']:.2f}")
            say(f"Mean length: {info['mean_length']:.1f}")
        say(f"Total time: {info['elapsed_s']:.1f}s")

    def mean(self, key):
        return sum(episode[key] for episode in self.episodes) / len(self.episodes) if self.episodes else None


def say(line):
    print(line, flush=True)


def run_episode(env, policy, number, seed):
    # The seeds of an episode are fixed by its number, so that both policies meet the same starts, and a shard that runs
    # only some episodes runs them as the whole evaluation does.
    env.reset(seed=1000 * seed + number)
    policy.reset(1000 * seed + number)
    start = float(env.unwrapped.data.qpos[0])
    reward, length, fallen, over = 0.0, 0, False, False
    while not (fallen or over):
        _, gained, fallen, over, _ = env.step(policy.act(length))
        reward += float(gained)
        length += 1
    distance = float(env.unwrapped.data.qpos[0]) - start
    success = distance >= FAR_ENOUGH if env.spec.id == "HalfCheetah-v5" else not fallen
    return {
        "episode": number,
        "seed": seed,
        "reward": reward,
        "length": length,
        "distance": distance,
        "success": bool(success),
    }


def stop(number, _frame):
    # One signal is enough; a second one must not break into the saving.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Stopped(number)


def evaluate(args):
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    results = Results(args)
    try:
        env = gymnasium.make(args.env, reset_noise_scale=START_NOISE[args.env])
        say(f"Environment: {args.env}, up to {env.spec.max_episode_steps} steps an episode")
        say(f"Policy: {args.policy}, seed {args.seed}")
        policy = RandomPolicy(env) if args.policy == "random" else FeedbackPolicy(env)
        for number in range(args.first + 1, args.first + args.episodes + 1):
            results.add(run_episode(env, policy, number, args.seed))
    except Stopped as stopped:
        results.finish(complete=False)
        return 128 + stopped.args[0]
    results.finish(complete=True)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--env", required=True, choices=sorted(START_NOISE))
    parser.add_argument("--policy", required=True, choices=["feedback", "random"])
    parser.add_argument("--episodes", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="episodes of the whole evaluation before the first one here")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--output", type=Path, required=True, metavar="DIR")
    return evaluate(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
