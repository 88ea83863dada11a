import type { History, TalkTurn } from '../history.ts';

/** Returns messages that are in no turn, or in several, and turns with messages that no client sent. */
export function lostMessages({ talk: { said, turns } }: Pick<History, 'talk'>): string[] {
  const whole = new Map(turns.map((turn) => [turn.id, turn.said.join('\n')]));
  return said.flatMap(({ text, turnId }) => {
    const places = [...whole].filter(([, words]) => words.includes(text)).map(([id]) => id);
    const times = (whole.get(turnId)?.split(text).length ?? 1) - 1;
    return places.length === 1 && times === 1
      ? []
      : [`"${text}" is in ${places.join(', ') || 'no turn'}, not in ${turnId}`];
  });
}

/** Returns messages of one client that are in a turn in a different order. */
export function mixedMessages({ talk: { said, turns } }: Pick<History, 'talk'>): string[] {
  return turns.flatMap((turn) => {
    const order = said
      .filter(({ turnId, text }) => turnId === turn.id && placeOf(turn, text) !== -1)
      .toSorted((one, other) => placeOf(turn, one.text) - placeOf(turn, other.text));
    const isMixed = order.some(({ client, number }, index) =>
      order.slice(0, index).some((before) => before.client === client && before.number > number),
    );
    return isMixed ? [`${turn.id} has ${order.map(({ text }) => text).join(' ')}`] : [];
  });
}

/** Returns turns that were answered without all joined inputs. */
export function unheardMessages({ talk: { turns } }: Pick<History, 'talk'>): string[] {
  return turns.flatMap(({ id, status, inputs, sent }) =>
    status === 'completed' && sent === inputs ? [] : [`${id} is ${status}, and has sent ${sent} of ${inputs}`],
  );
}

function placeOf({ said }: TalkTurn, text: string): number {
  return said.findIndex((words) => words.includes(text));
}
