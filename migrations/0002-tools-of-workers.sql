-- What a worker has to run calls with: its own tools by name, its MCP servers as `mcp:<name>`. Null: it does not say.
alter table workers add column tools text[];
