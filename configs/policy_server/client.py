#!/usr/bin/env python3
"""Evaluates the policy of a server on a locomotion task of Gymnasium. Prints a line per episode and writes
episodes.jsonl and eval_info.json. Success is to stand until the time limit.

`--env stand-in` needs no MuJoCo: a mass on a line, which the policy has to hold at rest.
"""

import argparse
import json
import sys
from pathlib import Path

try:
    import numpy as np
    from websockets.sync.client import connect
    from wire import pack, unpack
except ImportError as error:
    sys.exit(f"client.py: {error}; run: {sys.executable} -m pip install numpy websockets msgpack")


class StandIn:
    """A mass that drifts; its action is a force."""

    action_size = 1
    limit = 60

    def reset(self, seed):
        self.place, self.speed = np.random.default_rng(seed).uniform(-1.0, 1.0, 2)
        self.step_count = 0
        return np.array([self.place, self.speed], np.float32)

    def step(self, action):
        self.speed += 0.1 * float(action[0])
        self.place += 0.1 * self.speed
        self.step_count += 1
        fell = abs(self.place) > 8.0
        state = np.array([self.place, self.speed], np.float32)
        return state, 1.0 - abs(self.speed), fell, self.step_count >= self.limit

    def close(self):
        """It holds nothing."""


class Mujoco:
    def __init__(self, name):
        try:
            import gymnasium
        except ImportError as error:
            sys.exit(f'client.py: {error}; run: {sys.executable} -m pip install "gymnasium[mujoco]"')
        self.env = gymnasium.make(name)
        self.action_size = int(np.prod(self.env.action_space.shape))

    def reset(self, seed):
        return self.env.reset(seed=seed)[0]

    def step(self, action):
        state, reward, fell, over, _ = self.env.step(action)
        return state, float(reward), fell, over

    def close(self):
        self.env.close()


def ask(socket, state, env):
    socket.send(pack({"state": np.asarray(state, np.float32), "action_size": env.action_size, "prompt": "stand"}))
    answer = socket.recv()
    if isinstance(answer, str):
        sys.exit(f"the server failed:\n{answer}")
    return unpack(answer)["actions"]


def episode(socket, env, seed):
    state, total, steps = env.reset(seed), 0.0, 0
    while True:
        for action in ask(socket, state, env):
            state, reward, fell, over = env.step(action)
            total, steps = total + reward, steps + 1
            if fell or over:
                return total, steps, over and not fell


def main(arguments):
    env = StandIn() if arguments.env == "stand-in" else Mujoco(arguments.env)
    arguments.output.mkdir(parents=True, exist_ok=True)
    episodes = []
    with connect(f"ws://127.0.0.1:{arguments.port}", compression=None, max_size=None) as socket:
        print(f"connected to {unpack(socket.recv())}", flush=True)
        with open(arguments.output / "episodes.jsonl", "w") as file:
            for number in range(arguments.episodes):
                reward, steps, success = episode(socket, env, arguments.seed + number)
                row = {"episode": number, "seed": arguments.seed + number, "reward": reward, "success": success}
                episodes.append(row)
                file.write(json.dumps(row) + "\n")
                file.flush()
                done = f"Episode {number + 1}/{arguments.episodes}"
                print(f"{done} reward={reward:.1f} length={steps} success={int(success)}", flush=True)
    env.close()
    successes = sum(row["success"] for row in episodes)
    info = {
        "complete": True,
        "episodes": len(episodes),
        "successes": successes,
        "success_rate": successes / len(episodes),
        "mean_reward": sum(row["reward"] for row in episodes) / len(episodes),
    }
    (arguments.output / "eval_info.json").write_text(json.dumps(info, indent=2) + "\n")
    print("Evaluation complete!", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--env", required=True)
    parser.add_argument("--episodes", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, required=True)
    main(parser.parse_args())
