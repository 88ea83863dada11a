import { type Command, InvalidArgumentError } from 'commander';
import type { Act, Context } from '../cli.ts';
import { readIdWith } from '../read-values.ts';
import { addTurnOptions, DEFAULT_MODEL, modelOf, type TurnOptions, turnFields } from '../turn-options.ts';
import { runChat } from './run-chat.ts';

type ChatOptions = TurnOptions & { wait?: boolean };

export function addChat(program: Command, act: Act): void {
  const chat = program
    .command('chat')
    .description('chat with a model (lines typed during an answer join its turn)')
    .argument('[conv_…]', 'the conversation to continue', readIdWith('conv_'));
  addTurnOptions(chat, `the model, ${DEFAULT_MODEL} by default`)
    .option('--wait', 'new lines wait for the end of the answer')
    .action(act(startChat));
}

async function startChat({ pawl, cli }: Context, conversationId: string | undefined, given: ChatOptions) {
  const { wait: waits = false, ...turn } = given;
  if (conversationId && Object.keys(turn).length > 0)
    throw new InvalidArgumentError('The options of a conversation cannot change. Give an id or options, not both.');
  const request = { ...turnFields(turn), model: modelOf(turn) };
  return runChat(pawl, { conversationId, request, waits }, cli);
}
