"""`loop mcp`: the loop as tools for every agent that speaks MCP, on the standard library alone."""
