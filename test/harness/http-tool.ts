/** Defines an HTTP tool that takes a city. `more` adds fields or replaces them. */
export function httpTool(name: string, url: string, more: Record<string, unknown> = {}) {
  return {
    type: 'function',
    name,
    description: 'Does something for a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    execution: { kind: 'http', url },
    ...more,
  };
}
