"""Reads a run through `sweepdeck mcp` with the client of the package `mcp`, and prints what it found."""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

program, run = sys.argv[1:]


def server(*words):
    return stdio_client(StdioServerParameters(command=program, args=["mcp", *words], env=dict(os.environ)))


def text(result):
    return result.content[0].text


def flag(value, *names):
    """A field by its name in this version of the package or in an earlier one."""
    return next(getattr(value, name) for name in names if hasattr(value, name))


async def main():
    found = {}
    async with server() as streams, ClientSession(*streams) as session:
        met = await session.initialize()
        found["server"] = flag(met, "server_info", "serverInfo").name
        tools = (await session.list_tools()).tools
        found["read_only"] = sorted({flag(tool.annotations, "read_only_hint", "readOnlyHint") for tool in tools})
        readable = {tool.name for tool in tools}
        status = json.loads(text(await session.call_tool("status", {"run": run})))
        found["succeeded"] = status["counts"]["succeeded"]
        found["log"] = text(await session.call_tool("logs", {"run": run, "shard": "n1", "lines": 1}))
        killed = await session.call_tool("kill", {"run": run, "shards": ["n1"]})
        found["kill_failed"] = flag(killed, "is_error", "isError")
    async with server("--allow-acting") as streams, ClientSession(*streams) as session:
        await session.initialize()
        found["acting"] = sorted({tool.name for tool in (await session.list_tools()).tools} - readable)
    print(json.dumps(found))


asyncio.run(main())
