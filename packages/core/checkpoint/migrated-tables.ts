/** Returns the tables that exist after these migrations, by the statements at the beginning of a line. */
export function migratedTables(migrations: string[]): string[] {
  const tables = new Set<string>();
  for (const text of migrations) {
    for (const [, create, name = ''] of text.matchAll(STATEMENT)) {
      if (create) tables.add(name);
      else tables.delete(name);
    }
  }
  return [...tables];
}

const STATEMENT = /^(?:(create) (?:unlogged )?table|drop table)(?: if (?:not )?exists)? (\w+)/gm;
