import type * as api from '#client/generated.ts';

// The resources of the API as this page names them. The build writes their types from /openapi.json.
export type Turn = api.Turn;
export type ListedTurn = api.ListedTurn;
export type Conversation = api.Conversation;
export type Agent = api.Agent;
export type Chain = api.Chain;
export type Response = api.Response;
export type Round = api.LedgerRound;
export type Result = Round['results'][number];
export type ToolCall = Round['tool_calls'][number];
export type Delivery = api.Delivery;

/** Calls of an earlier response that a person allowed and that this turn makes before its first round. */
export type AdoptedCalls = Omit<NonNullable<Turn['adopted_calls']>, 'results'> & Pick<Round, 'results'>;

/** A page of a list. The next page begins at the cursor, which is null on the last page. */
export type Page<Item> = { data: Item[]; next_cursor: string | null };
