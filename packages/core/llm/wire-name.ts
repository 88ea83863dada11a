/** A name as every wire takes it; a model may have called a tool by a name no tool may have. */
export function wireName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unnamed';
}

/** Of declarations that have become namesakes, the first: no wire takes a name twice. */
export function distinctNames<Declaration extends { name: string }>(declarations: Declaration[]): Declaration[] {
  const first = new Map(declarations.toReversed().map((declaration) => [declaration.name, declaration]));
  return declarations.filter((declaration) => first.get(declaration.name) === declaration);
}
