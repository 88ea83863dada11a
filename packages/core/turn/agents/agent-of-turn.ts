/** The version of an agent that a turn runs with. `overridden`: other fields replace some of its fields. */
export type AgentOfTurn = { id: string; name: string; version: number; overridden?: true };
