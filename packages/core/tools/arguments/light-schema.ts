import { SCHEMA_BOUNDS } from '../../bounds/schema-bounds.ts';

/** Returns whether a schema, given as JSON, is small enough for the event loop. */
export function isLightSchema(text: string): boolean {
  return text.length <= SCHEMA_BOUNDS.lightLength && !(HAS_PATTERN.test(text) && hasLongPatterns(text));
}

const HAS_PATTERN = /"(?:pattern|patternProperties)":/;

function hasLongPatterns(text: string): boolean {
  let length = 0;
  JSON.parse(text, (key, value) => {
    if (key === 'pattern' && typeof value === 'string') length += value.length;
    if (key === 'patternProperties' && value) length += Object.keys(value).join('').length;
    return value;
  });
  return length > SCHEMA_BOUNDS.lightPatternLength;
}
