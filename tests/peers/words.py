"""words.py [PORT] - a small server of ours, written with the Python SDK: it counts words. Over stdio, or
over HTTP at a port."""

import sys

from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

server = MCPServer("words", instructions="Counts words in texts.")


class Count(BaseModel):
    words: int
    letters: int


@server.tool()
def count_words(text: str) -> Count:
    """Count the words and letters of a text."""
    return Count(words=len(text.split()), letters=sum(map(str.isalpha, text)))


@server.tool()
async def spell(word: str, context: Context) -> str:
    """Spell a word letter by letter, with progress."""
    for at, _ in enumerate(word, start=1):
        await context.report_progress(at, len(word))
    return "-".join(word)


@server.resource("words://greeting/{name}")
def greeting(name: str) -> str:
    """A greeting for somebody."""
    return f"Good day, {name}!"


@server.prompt()
def summarize(text: str) -> str:
    """Ask for a summary of a text."""
    return f"Please summarize: {text}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run(transport="streamable-http", port=int(sys.argv[1]))
    else:
        server.run(transport="stdio")
