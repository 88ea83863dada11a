import type { RoundRequest } from '../../provider.ts';
import { withoutFields } from './without-fields.ts';

/** Where a caller may have put tools of a provider's own (`provider_options`), on any wire. */
const TOOL_FIELDS = ['tools', 'tool_choice', 'parallel_tool_calls', 'functions', 'function_call', 'toolConfig'];

/** The same request without tools, not even declared ones: what is asked for the answer when no tool is wanted. */
export function answerRequest(request: RoundRequest): RoundRequest {
  return {
    ...request,
    tools: [],
    declaredTools: null,
    toolChoice: 'auto',
    parallelToolCalls: null,
    providerOptions: withoutFields(request.providerOptions, TOOL_FIELDS),
    requestId: `${request.requestId}a`,
  };
}
