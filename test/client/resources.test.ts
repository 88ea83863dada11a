import type {
  Conversation,
  ConversationChanges,
  ConversationRequest,
  EndedTurn,
  ForkRequest,
  ListedTurn,
  RerunRequest,
  Schedule,
  ScheduleChange,
  ScheduleRequest,
  Turn,
  TurnConfig,
  TurnEvent,
  TurnFilter,
  TurnRequest,
} from 'pawl/client';
import { expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { CompactMessage } from '#client/resources/conversation.ts';
import type { LiveEventResource } from '#core/turn/event.ts';
import type { ForkRequestBody, RerunRequestBody } from '#core/turn/forks/fork-request.ts';
import type { CompactMessage as ServerMessage } from '#core/turn/history/compact.ts';
import type { ConversationRequestBody, ConversationChanges as ServerChanges } from '#core/turn/request/conversation.ts';
import type {
  ScheduleChange as ServerScheduleChange,
  ScheduleRequest as ServerScheduleRequest,
} from '#core/turn/request/schedule.ts';
import type { TurnRequestBody } from '#core/turn/request/turn.ts';
import type { ConversationResource } from '#core/turn/resource/conversation.ts';
import type { EventResource } from '#core/turn/resource/event.ts';
import type { ScheduleResource } from '#core/turn/resource/schedule.ts';
import type { ListedTurnResource, TurnResource } from '#core/turn/resource/turn.ts';
import type { presentTurnConfig } from '#core/turn/resource/turn-config.ts';
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
  expectTypeOf<Plain<ForkRequest>>().toEqualTypeOf<Plain<ForkRequestBody>>();
  expectTypeOf<Plain<RerunRequest>>().toEqualTypeOf<Plain<RerunRequestBody>>();
  expectTypeOf<Plain<ConversationRequest>>().toEqualTypeOf<Plain<ConversationRequestBody>>();
  expectTypeOf<NonNullable<TurnFilter['status']>>().toEqualTypeOf<TurnStatus | TurnStatus[]>();
  expectTypeOf<Plain<TurnConfig>>().toEqualTypeOf<Plain<ReturnType<typeof presentTurnConfig>>>();
  expectTypeOf<Plain<ConversationChanges>>().toEqualTypeOf<Plain<z.input<typeof ServerChanges>>>();
  // Its turn is shown with what the server fills in.
  expectTypeOf<Plain<Omit<Schedule, 'turn'>>>().toEqualTypeOf<Plain<Omit<ScheduleResource, 'turn'>>>();
  expectTypeOf<Plain<ScheduleRequest>>().toEqualTypeOf<Plain<z.input<typeof ServerScheduleRequest>>>();
  expectTypeOf<Plain<ScheduleChange>>().toEqualTypeOf<Plain<z.input<typeof ServerScheduleChange>>>();
  expectTypeOf<EndedTurn['status']>().toEqualTypeOf<TerminalStatus>();
});
