import { z } from 'zod';
import { answerSource, questionAndAnswer } from '../conversation-views.js';

const source = z.looseObject({ path: z.string(), source_type: z.string().optional() });

/**
 * The content of a `system` chunk: a name was replaced, a limit is near, or the turn waits for a
 * provider.
 */
const systemMessage = z.object({
  system_type: z.string(),
  system_message: z.string(),
  metadata: z.looseObject({}).optional(),
});

/** The answer of `POST /api/oracle`. */
export const oracleAnswer = z.object({
  answer: z.string(),
  sources: z.array(source),
  system_messages: z.array(systemMessage),
  tokens_used: z.int(),
  model_used: z.string().nullable(),
  context_id: z.string().nullable(),
});
export type OracleAnswer = z.infer<typeof oracleAnswer>;

export const cancelStatus = z.object({ status: z.enum(['cancelled', 'no_active_session']) });

export const oracleHistory = z.object({
  messages: z.array(
    z.object({
      role: z.enum(['user', 'assistant']),
      content: z.string(),
      context_id: z.string(),
      sources: z.array(answerSource).readonly().optional(),
      timestamp: z.string(),
    }),
  ),
});

export const clearedHistory = z.object({ status: z.literal('cleared'), deleted: z.int() });

const tree = z.object({
  root_id: z.string(),
  title: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  node_count: z.int(),
});
export const contextTrees = z.object({ trees: z.array(tree) });

/**
 * A conversation as a tree of exchanges. `current_id` is the exchange that the next question
 * continues.
 */
export const contextTree = tree.extend({
  current_id: z.string().nullable(),
  nodes: z.array(
    z.object({
      id: z.string(),
      parent_id: z.string().nullable(),
      ...questionAndAnswer,
      run_id: z.string(),
      created_at: z.string(),
    }),
  ),
});
