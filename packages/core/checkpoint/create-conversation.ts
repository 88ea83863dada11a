import { sql } from 'kysely';
import type { StandingConfig } from '../turn/turn-request.ts';
import type { Db } from './database.ts';

export type NewConversation = {
  id: string;
  project: string;
  config: StandingConfig;
  metadata: Record<string, string>;
};

/** Records a conversation with the configuration that its turns inherit. */
export async function createConversation(db: Db, { id, project, config, metadata }: NewConversation): Promise<void> {
  await sql`insert into conversations (id, project, config, metadata)
    values (${id}, ${project}, ${config}::json, ${metadata}::json)`.execute(db);
}
