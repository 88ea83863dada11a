import { isRecord } from '../../../json.ts';

/** The keyword of a schema that requests an argument also as a header: `Mcp-Param-` and the given name. */
const KEYWORD = 'x-mcp-header';

const DATA = new Set(['const', 'default', 'enum', 'example', 'examples']);

/**
 * Returns why a schema breaks MCP's rules for arguments as headers, or null. The reason contains no text of the
 * server.
 */
export function headerProblem(schema: unknown): string | null {
  const names = new Set<string>();
  return visit(schema, { isProperty: false, isReachable: true, names });
}

/** `isReachable`: only `properties` lead here, as each declaration requires. */
type Place = { isProperty: boolean; isReachable: boolean; names: Set<string> };

function visit(schema: unknown, place: Place): string | null {
  if (Array.isArray(schema)) return firstProblem(schema, { ...place, isProperty: false, isReachable: false });
  if (!isRecord(schema)) return null;
  const own = KEYWORD in schema ? declarationProblem(schema, place) : null;
  if (own !== null) return own;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === KEYWORD || DATA.has(keyword)) continue;
    const problem =
      keyword === 'properties' && isRecord(value)
        ? firstProblem(Object.values(value), { ...place, isProperty: true })
        : visit(value, { ...place, isProperty: false, isReachable: false });
    if (problem !== null) return problem;
  }
  return null;
}

function firstProblem(schemas: unknown[], place: Place): string | null {
  for (const schema of schemas) {
    const problem = visit(schema, place);
    if (problem !== null) return problem;
  }
  return null;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES = new Set<unknown>(['string', 'integer', 'boolean']);

function declarationProblem(schema: Record<string, unknown>, { isProperty, isReachable, names }: Place): string | null {
  const name = schema[KEYWORD];
  if (!isProperty || !isReachable) return `Declare \`${KEYWORD}\` only on arguments and on properties of objects.`;
  if (typeof name !== 'string' || !TOKEN.test(name)) return `Give each \`${KEYWORD}\` the name of a header.`;
  if (!TYPES.has(schema.type)) return `Declare \`${KEYWORD}\` only on strings, integers and booleans.`;
  if (names.has(name.toLowerCase())) return `Give each \`${KEYWORD}\` its own name.`;
  names.add(name.toLowerCase());
  return null;
}
