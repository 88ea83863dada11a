import { type RawBuilder, sql } from 'kysely';

export const bytesOfRound = sql<number>`(coalesce(octet_length(text), 0) + coalesce(octet_length(opaque::text), 0)
    + coalesce(octet_length(reasoning), 0) + coalesce(octet_length(hosted::text), 0) + 500)`;

/** The bytes of a turn without its rounds, with estimates for short columns. */
export const bytesOfRequest = sql<number>`(octet_length(input::text) + coalesce(octet_length(output), 0) + 2000 + (
    select 250 * count(*) from rounds where turn_id = turns.id) + case when turns.inputs = 0 then 0 else (
    select sum(octet_length(content::text)) from inputs where turn_id = turns.id) end + case when open_calls = 0 then 0 else (
    select coalesce(sum(octet_length(arguments)), 0) from tool_calls where turn_id = turns.id and result is null) end)`;
/** Returns the bytes of a turn's rounds after the round `known`. */
export const bytesAfter = (known: RawBuilder<unknown>) => sql<number>`((
    select coalesce(sum(${bytesOfRound}), 0) from rounds where turn_id = turns.id and number > ${known}) + (
    select coalesce(sum(octet_length(arguments) + coalesce(octet_length(approval::text), 0) + coalesce(octet_length(result::text), 0) + 500), 0)
    from tool_calls where turn_id = turns.id and round > ${known}))`;
export const bytesOfRounds = bytesAfter(sql`-1`);
export const bytesOfTurn = sql<number>`(${bytesOfRequest} + ${bytesOfRounds} + octet_length(config::text))`;
