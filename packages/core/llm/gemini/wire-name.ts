/** A name as this wire takes it; elsewhere a model may have called a tool by a name no tool may have. */
export function wireName(name: string): string {
  const known = name.replace(/[^\w.:-]/g, '_') || 'unnamed';
  return (/^[a-z_]/i.test(known) ? known : `_${known}`).slice(0, 64);
}
