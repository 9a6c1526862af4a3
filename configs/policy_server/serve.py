#!/usr/bin/env python3
"""A policy server that speaks openpi's protocol: on connect the server sends its metadata, then a chunk of actions for
each observation. An error is sent as text, and the connection closes with 1011. GET /healthz answers OK.

Requests that come within a few milliseconds share one forward pass, as on a GPU.
"""

import argparse
import asyncio
import http
import signal
import sys
import time
import traceback

try:
    import numpy as np
    import websockets
    from websockets.asyncio.server import serve
    from wire import pack, unpack
except ImportError as error:
    sys.exit(f"serve.py: {error}; run: {sys.executable} -m pip install numpy websockets msgpack")

CHUNK = 4
BATCH = 8
WINDOW = 0.005


def actions_of(policy, observation, noise):
    """A chunk of actions for one robot: against the speeds of its joints, or drawn evenly."""
    size = int(observation["action_size"])
    if policy == "random":
        return noise.uniform(-1.0, 1.0, (CHUNK, size)).astype(np.float32)
    speeds = np.asarray(observation["state"], np.float32)[-size:]
    return np.tile(np.clip(-0.2 * speeds, -1.0, 1.0), (CHUNK, 1))


class Server:
    def __init__(self, policy):
        self.policy = policy
        self.queue = asyncio.Queue()
        self.noise = np.random.default_rng(0)
        self.clients = self.served = 0

    async def infer(self):
        while True:
            batch = [await self.queue.get()]
            await asyncio.sleep(WINDOW)
            while len(batch) < BATCH and not self.queue.empty():
                batch.append(self.queue.get_nowait())
            began = time.monotonic()
            for observation, answer in batch:
                try:
                    actions = actions_of(self.policy, observation, self.noise)
                    spent = {"infer_ms": (time.monotonic() - began) * 1e3}
                    answer.set_result({"actions": actions, "server_timing": spent})
                except Exception as error:  # To that client alone; the others go on.
                    answer.set_exception(error)
            self.served += len(batch)
            if self.served % 500 < len(batch):
                print(f"served {self.served} requests of {self.clients} clients", flush=True)

    async def handle(self, socket):
        self.clients += 1
        print(f"connection from {socket.remote_address} opened", flush=True)
        try:
            await socket.send(pack({"policy": self.policy, "action_horizon": CHUNK}))
            async for message in socket:
                answer = asyncio.get_running_loop().create_future()
                self.queue.put_nowait((unpack(message), answer))
                await socket.send(pack(await answer))
        except websockets.ConnectionClosed:
            pass
        except Exception:
            await socket.send(traceback.format_exc())
            await socket.close(1011, "internal server error, see the frame before")
            raise
        finally:
            self.clients -= 1
            print(f"connection from {socket.remote_address} closed", flush=True)


def health(connection, request):
    return connection.respond(http.HTTPStatus.OK, "OK\n") if request.path == "/healthz" else None


async def main(arguments):
    server = Server(arguments.policy)
    print(f"loading policy {arguments.policy}", flush=True)
    await asyncio.sleep(arguments.load)
    options = {"compression": None, "max_size": None, "process_request": health}
    async with serve(server.handle, "127.0.0.1", arguments.port, **options):
        print(f"server listening on 127.0.0.1:{arguments.port}", flush=True)
        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        work = asyncio.create_task(server.infer())
        await stop.wait()
        work.cancel()
    print(f"ended after {server.served} requests", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--policy", choices=["damped", "random"], required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--load", type=float, default=1.0, help="seconds that loading the model takes")
    asyncio.run(main(parser.parse_args()))
