/** What a create request of a response adds to a model and an input so that it is refused, once for each code. */
export const refusedResponses: object[] = [
  { inptu: 'Hi' },
  { tools: [{ type: 'function' }] },
  { prompt: { id: 'pmpt_1' } },
  { truncation: 'auto' },
  { previous_response_id: 'resp_1', conversation: 'conv_1' },
  { background: true, store: false },
  { tools: [{ type: 'web_search' }] },
  { tools: [{ type: 'mcp', server_label: 'a', server_url: 'https://example.com' }] },
  { input: [{ type: 'computer_call' }] },
  { input: [{ role: 'user', content: [{ type: 'input_audio' }] }] },
];
