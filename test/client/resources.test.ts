import type {
  Conversation,
  ConversationRequest,
  EndedTurn,
  ListedTurn,
  Turn,
  TurnEvent,
  TurnFilter,
  TurnRequest,
} from 'pawl/client';
import { expectTypeOf, test } from 'vitest';
import type { CompactMessage } from '#client/resources/conversation.ts';
import type { LiveEventResource } from '#core/turn/event.ts';
import type { CompactMessage as ServerMessage } from '#core/turn/history/compact.ts';
import type { ConversationRequestBody, TurnRequestBody } from '#core/turn/request/turn.ts';
import type { ConversationResource } from '#core/turn/resource/conversation.ts';
import type { EventResource } from '#core/turn/resource/event.ts';
import type { ListedTurnResource, TurnResource } from '#core/turn/resource/turn.ts';
import type { TerminalStatus, TurnStatus } from '#core/turn/turn.ts';

/** A type written out, so that two of one shape are one type; any JSON value is `unknown`. */
type Plain<Type> = [NonNullable<unknown> | null] extends [Type]
  ? unknown
  : Type extends object
    ? { [Key in keyof Type]: Plain<Type[Key]> }
    : Type;

test('the client knows each field of what the server answers and takes, and no other', () => {
  expectTypeOf<Plain<Turn>>().toEqualTypeOf<Plain<TurnResource>>();
  expectTypeOf<Plain<ListedTurn>>().toEqualTypeOf<Plain<ListedTurnResource>>();
  expectTypeOf<Plain<Conversation>>().toEqualTypeOf<Plain<ConversationResource>>();
  expectTypeOf<Plain<CompactMessage>>().toEqualTypeOf<Plain<ServerMessage>>();
  expectTypeOf<Plain<TurnEvent>>().toEqualTypeOf<Plain<EventResource | LiveEventResource>>();
  expectTypeOf<Plain<TurnRequest>>().toEqualTypeOf<Plain<TurnRequestBody>>();
  expectTypeOf<Plain<ConversationRequest>>().toEqualTypeOf<Plain<ConversationRequestBody>>();
  expectTypeOf<NonNullable<TurnFilter['status']>>().toEqualTypeOf<TurnStatus>();
  expectTypeOf<EndedTurn['status']>().toEqualTypeOf<TerminalStatus>();
});
