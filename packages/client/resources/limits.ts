/** The limits of a turn, every default filled in; null means: no limit. */
export type Limits = {
  max_tool_calls: number;
  max_rounds: number;
  max_total_tokens: number | null;
  max_cost_usd: number | null;
  deadline_seconds: number | null;
};

/** The limits as a request gives them. */
export type LimitsBody = { [Name in keyof Limits]?: number | null | undefined };

/** The reason of a turn that reached a limit. */
export type LimitReason = Exclude<keyof Limits, 'deadline_seconds'> | 'deadline';
