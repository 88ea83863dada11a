/**
 * Returns the name of the tool that a model means. Some servers leave the marks of a model's own format in the name:
 * `functions.get_weather:0` (Kimi), `default_api.get_weather` (Gemini), `get_weather<|channel|>json` (gpt-oss). On
 * Gemini's wire, Pawl puts `_` before a name that does not begin with a letter. A name that leads to no tool stays.
 */
export function declaredName(name: string, toolNames: ReadonlySet<string>): string {
  if (toolNames.has(name)) return name;
  const bare = name
    .replace(/^.*(?:\bfunctions\.)/s, '')
    .replace(/<\|.*$/s, '')
    .trim()
    .replace(/^(?:functions?|tools?|default_api|default)[.:/]|^_(?=[\d-])/, '')
    .replace(/:\d{1,4}$/, '');
  return toolNames.has(bare) ? bare : name;
}
