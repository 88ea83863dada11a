import { z } from 'zod';
import { parseJson } from '../../json.ts';
import { UnusableReply } from '../unusable-reply.ts';
import type { Post, PostRequest } from './http-client.ts';
import { openReply } from './open-reply.ts';

/** A model in the list of its provider. `created` is in Unix seconds, or 0 if it is unknown. */
export type ListedModel = { id: string; created: number };

const OpenaiOrAnthropic = z.object({
  data: z.array(z.object({ id: z.string(), created: z.number().nullish(), created_at: z.string().nullish() })),
  has_more: z.boolean().nullish(),
  last_id: z.string().nullish(),
});
const Gemini = z.object({ models: z.array(z.object({ name: z.string() })), nextPageToken: z.string().nullish() });

/** The most pages of a list to read. */
const MOST_PAGES = 20;

/** One page. `next` is the parameter of the next page, or null after the last page. */
type ModelPage = { models: ListedModel[]; next: [name: string, value: string] | null };

/** Returns the models of a server's list, from at most twenty pages. An answer without a list is an `UnusableReply`. */
export async function listModels(post: Post, request: ListRequest): Promise<ListedModel[]> {
  const all: ListedModel[] = [];
  const url = new URL(request.url);
  for (let pages = 1; pages <= MOST_PAGES; pages += 1) {
    const { models, next } = await readPage(post, { ...request, url: url.href });
    all.push(...models);
    if (!next) break;
    url.searchParams.set(...next);
  }
  return all;
}

type ListRequest = Omit<PostRequest, 'body' | 'method'>;

async function readPage(post: Post, request: ListRequest): Promise<ModelPage> {
  const opened = await openReply(post, { ...request, method: 'GET', body: '' });
  if (opened.kind === 'stream') await opened.events.return(undefined);
  const list = opened.kind === 'whole' ? parseJson(opened.text) : undefined;
  const { data: gemini } = Gemini.safeParse(list);
  if (gemini) {
    const models = gemini.models.map(({ name }) => ({ id: name.replace(/^models\//, ''), created: 0 }));
    return { models, next: gemini.nextPageToken ? ['pageToken', gemini.nextPageToken] : null };
  }
  const { data: listed } = OpenaiOrAnthropic.safeParse(list);
  if (!listed) throw new UnusableReply('an answer that is not a list of models');
  const { data, has_more, last_id } = listed;
  const models = data.map(({ id, created, created_at }) => ({ id, created: created ?? secondsOf(created_at) }));
  return { models, next: has_more && last_id ? ['after_id', last_id] : null };
}

function secondsOf(time: string | null | undefined): number {
  const milliseconds = Date.parse(time ?? '');
  return Number.isNaN(milliseconds) ? 0 : Math.floor(milliseconds / 1_000);
}
