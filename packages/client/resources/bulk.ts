/** What a bulk does, and with which turns: those of `GET /v1/turns` with the same parameters. */
export type BulkRequestBody = {
  action: 'cancel' | 'retry' | 'delete';
  filter: {
    /** One status or several, comma-separated. */
    status?: string;
    model?: string;
    conversation_id?: string;
    error_code?: string;
    created_after?: string;
    created_before?: string;
    metadata?: Record<string, string>;
    q?: string;
  };
};

/** A bulk as it is now. */
export type BulkResource = {
  id: string;
  object: 'bulk';
  action: BulkRequestBody['action'];
  filter: Record<string, unknown>;
  status: 'in_progress' | 'completed';
  matched: number;
  done: number;
  failed: number;
  left: number;
  errors: { turn_id: string; code: string }[];
  created_at: string;
  completed_at: string | null;
};
