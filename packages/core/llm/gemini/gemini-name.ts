/** Returns a name for this wire, which begins with a letter or `_`. Names of MCP servers may begin with a digit. */
export function geminiName(name: string): string {
  const known = name.replace(/[^\w.:-]/g, '_') || 'unnamed';
  return (/^[a-z_]/i.test(known) ? known : `_${known}`).slice(0, 64);
}
