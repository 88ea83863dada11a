/**
 * Returns the name of a tool as this wire takes it: it begins with a letter or `_`. The name of an MCP server may begin
 * with a digit, and a model elsewhere may have called a tool by a name no tool may have.
 */
export function geminiName(name: string): string {
  const known = name.replace(/[^\w.:-]/g, '_') || 'unnamed';
  return (/^[a-z_]/i.test(known) ? known : `_${known}`).slice(0, 64);
}
