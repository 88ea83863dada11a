import { styleText } from 'node:util';
import type { Pawl, Turn } from '../../client/connect-pawl.ts';
import { makeVisible } from '../make-visible.ts';
import { saidText } from '../said-text.ts';
import type { ChatView } from './chat-view.ts';
import type { Chat } from './make-chat.ts';
import { describeAnswered, describeHosted } from './show-answer.ts';

type Round = Turn['rounds'][number];

const SHOWN_MESSAGES = 6;

/** Shows the last messages of a resumed conversation, and the running answer. */
export async function resumeChat(pawl: Pawl, chat: Chat, view: ChatView): Promise<void> {
  const conversation = chat.conversation();
  if (!conversation) return;
  const { active_turn_id: activeId, agent, model } = await conversation.get();
  const messages = (await conversation.messages()).filter(({ turn_id }) => turn_id !== activeId);
  view.note([conversation.id, agent, model].filter(Boolean).join('  '));
  for (const { role, content, rounds = [] } of makeVisible(messages.slice(-SHOWN_MESSAGES))) {
    for (const round of rounds) showRound(round, view);
    if (role === 'user') showSaid(content, view);
    else if (content !== null) view.say(saidText(content));
  }
  if (activeId === null) return;
  const { input } = await pawl.turns.get(activeId);
  for (const { content } of makeVisible(input)) showSaid(content, view);
  chat.turns.show(pawl.turns.attach(activeId));
}

function showSaid(content: Parameters<typeof saidText>[0], view: ChatView): void {
  view.say(styleText('bold', `> ${saidText(content)}`));
}

function showRound(round: Round, view: ChatView): void {
  const { input, hosted_calls: hosted, assistant_response: text, tool_calls: calls, results } = round;
  for (const { content } of input) showSaid(content, view);
  for (const call of hosted) view.say(describeHosted(call));
  if (text !== null) view.say(text);
  for (const [index, call] of calls.entries()) view.say(describeAnswered(call, results[index]));
}
