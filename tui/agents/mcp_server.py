"""Toolbox as a server of the Model Context Protocol over standard input and output; the only file that needs `mcp`."""

from __future__ import annotations

import json

import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

from tui import __version__
from tui.agents.tool import Tool
from tui.agents.toolbox import INSTRUCTIONS, Toolbox


def build_server(toolbox: Toolbox) -> Server[object]:
    """Build the MCP server that offers the tools of a toolbox."""

    async def list_tools(_context: object, _params: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_describe(tool) for tool in toolbox.tools.values()])

    async def call_tool(_context: object, params: types.CallToolRequestParams) -> types.CallToolResult:
        reply = await toolbox.call(params.name, params.arguments or {})
        text = types.TextContent(text=json.dumps(reply.content, ensure_ascii=False))
        return types.CallToolResult(content=[text], structured_content=reply.content, is_error=reply.refused)

    return Server(
        "crossdesk", version=__version__, instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool
    )


def _describe(tool: Tool) -> types.Tool:
    hints = types.ToolAnnotations(read_only_hint=tool.reads, destructive_hint=False, open_world_hint=True)
    return types.Tool(name=tool.name, description=tool.purpose, input_schema=tool.schema, annotations=hints)


async def serve(toolbox: Toolbox) -> None:
    """Serve the toolbox over MCP on standard input and output until the input ends; then close the desk connection."""
    server = build_server(toolbox)
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    finally:
        await toolbox.close()
