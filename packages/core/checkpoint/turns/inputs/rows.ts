import type { Generated } from 'kysely';
import type { InputItem } from '../../../turn/request/item.ts';

export type InputRow = {
  turn_id: string;
  number: number;
  content: InputItem[];
  metadata: Record<string, string>;
  created_at: Generated<Date>;
};
