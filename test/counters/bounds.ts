/**
 * The bounds of a turn's counters, on each queue: a turn with four rounds and three batches of two tools, alone. A change
 * that goes over a bound fails. A change that earns a lower one lowers it here.
 */
export const BOUNDS = {
  redis: { statements: 10, walBytes: 16_800, buffers: 240 },
  // Of 40 statements, 30 are of the queue, which also makes a few by its clock.
  postgres: { statements: 44, walBytes: 32_500, buffers: 735 },
};

/** The least share of the updates of `turns` and `tool_calls` that change no index. */
export const HOT_SHARE = { turns: 0.7, tool_calls: 0.7 };
