"""client.py ERA [http] - the Python SDK's client (legacy or modern), deft, and servers behind it."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import mcp_types as types
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT_S = 20  # many times what any check takes

passed = failed = 0


async def check(name: str, body: Callable[[], Awaitable[None]]) -> None:
    global passed, failed
    try:
        with anyio.fail_after(LIMIT_S):
            await body()
        passed += 1
        print(f"ok    {name}")
    except Exception as error:  # noqa: BLE001 - whatever it is, the next check goes on
        failed += 1
        print(f"FAIL  {name}\n      {type(error).__name__}: {error}")


def gateway() -> StdioServerParameters:
    """deft in front of three servers, one of which is written with this SDK too."""
    node = os.environ["PEERS_NODE"]
    servers = {
        "everything": {"command": node, "args": [f"{HERE}/node_modules/@modelcontextprotocol/server-everything/dist/index.js"]},
        "words": {"command": sys.executable, "args": [f"{HERE}/words.py"]},
        "modernFixture": {"command": node, "args": [f"{HERE}/fixture.mjs", "--modern"]},
    }
    folder = tempfile.mkdtemp(dir=os.environ.get("PEERS_SCRATCH"))
    file = os.path.join(folder, "deft.json")
    with open(file, "w", encoding="utf-8") as out:
        json.dump({"toolSearch": {"enabled": "on"}, "mcpServers": servers}, out)
    deft = os.environ["PEERS_DEFT"]
    subprocess.run([deft, "servers", "--discover", "--config", file], check=True)
    return StdioServerParameters(command=deft, args=["serve", "--config", file], env=dict(os.environ))


def text(result: Any) -> str:
    return "\n".join(block.text for block in result.content if block.type == "text")


async def sample(_context: Any, _params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
    return types.CreateMessageResult(role="assistant", model="scripted", content=types.TextContent(type="text", text="forty-two"))


async def elicit(_context: Any, _params: Any) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content={"username": "someone", "email": "some@one"})


async def play(client: Client) -> None:
    async def bridge(tool: str, given: dict[str, Any], **options: Any) -> Any:
        return await client.call_tool("tool_call", {"tool_name": tool, "tool_args": given}, **options)

    async def listed() -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["tool_search", "tool_describe", "tool_call"]

    async def searched() -> None:
        result = await client.call_tool("tool_search", {"query": "add two numbers"})
        assert "everything::get-sum" in [tool["id"] for tool in result.structured_content["tools"]]

    async def described() -> None:
        assert "First number" in text(await client.call_tool("tool_describe", {"tool_name": "everything::get-sum"}))

    async def called() -> None:
        assert "42" in text(await bridge("everything::get-sum", {"a": 20, "b": 22}))
        assert "3" in text(await bridge("words::count_words", {"text": "one two three"}))
        assert "42" in text(await client.call_tool("everything__get-sum", {"a": 20, "b": 22}))

    async def progressed() -> None:
        steps: list[float] = []

        async def note(progress: float, _total: float | None, _message: str | None) -> None:
            steps.append(progress)

        await bridge("modernFixture::test_tool_with_progress", {}, progress_callback=note)
        assert steps and steps == sorted(steps), steps

    async def asked() -> None:
        assert "forty-two" in text(await bridge("modernFixture::test_sampling", {"prompt": "x"}))
        assert "someone" in text(await bridge("modernFixture::test_elicitation", {"message": "x"}))

    async def prompted() -> None:
        names = [prompt.name for prompt in (await client.list_prompts()).prompts]
        assert "tool-search" in names and "words__summarize" in names, names
        status = await client.get_prompt("tool-search", {"action": "status"})
        assert "active" in status.messages[0].content.text

    async def read() -> None:
        result = await client.read_resource("words://greeting/deft")
        assert result.contents[0].text == "Good day, deft!"

    await check("three tools are listed", listed)
    await check("a search finds what adds two numbers", searched)
    await check("a definition is described", described)
    await check("what was found is called, and by its name", called)
    await check("progress arrives in order", progressed)
    await check("what servers ask reaches the client", asked)
    await check("prompts are listed and given", prompted)
    await check("a resource is read", read)
    await check("the list is the same after all this", listed)


@contextmanager
def reach(deft: StdioServerParameters, over_http: bool) -> Iterator[Any]:
    """What a client connects to: a process of its own, or the address of one that is shared."""
    if not over_http:
        yield stdio_client(deft)
        return
    command = [deft.command, *deft.args, "--http", "127.0.0.1:0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            port = next(line.split(" port ")[1].split(":")[0] for line in process.stderr if "listening on" in line)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()


async def main() -> None:
    mode = {"legacy": "legacy", "modern": "2026-07-28", "auto": "auto"}[sys.argv[1]]
    with reach(gateway(), "http" in sys.argv[2:]) as server:
        async with Client(server, mode=mode, sampling_callback=sample, elicitation_callback=elicit) as client:
            await play(client)
    print(f"{passed} passed, {failed} failed")


anyio.run(main)
sys.exit(1 if failed or not passed else 0)
