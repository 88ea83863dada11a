/** Returns a name that every wire accepts, since a model may have called a tool by an invalid name. */
export function wireName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unnamed';
}

/** Removes later declarations with the same name, since no wire accepts a name twice. */
export function distinctNames<Declaration extends { name: string }>(declarations: Declaration[]): Declaration[] {
  const first = new Map(declarations.toReversed().map((declaration) => [declaration.name, declaration]));
  return declarations.filter((declaration) => first.get(declaration.name) === declaration);
}
