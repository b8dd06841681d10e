import { z } from 'zod';

/** The sources of an answer, the best first. */
export const answerSource = z.object({
  path: z.string(),
  source_type: z.string(),
  snippet: z.string(),
  score: z.number(),
});

const toolCall = z.object({
  tool_call_id: z.string(),
  tool: z.string(),
  args: z.record(z.string(), z.unknown()).optional().describe('Absent if they are long'),
  status: z
    .enum(['ok', 'error', 'timeout', 'denied', 'interrupted'])
    .nullable()
    .describe('Null: the call has no result (yet)'),
  duration_ms: z.number().nullable(),
});

/**
 * The usage of an answer. Absent: none, or unknown for an answer that an earlier version stored.
 */
const effort = {
  tool_calls: z.array(toolCall).readonly().optional(),
  usage: z
    .object({
      input_tokens: z.int(),
      output_tokens: z.int(),
      total_tokens: z.int(),
      cost: z.number().optional(),
    })
    .optional(),
};

/** An exchange in a tree of a conversation. */
export const questionAndAnswer = {
  question: z.string(),
  answer: z.string(),
  status: z.enum(['running', 'completed', 'failed', 'cancelled']),
  partial: z.boolean(),
  error: z.string().optional().describe('Why the turn failed'),
  sources: z.array(answerSource).readonly().optional(),
  ...effort,
};

/** A message of a conversation. Contract section 8. */
export const chatMessage = z.object({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  created_at: z.string().nullable(),
  run_id: z.string(),
  partial: z.boolean(),
  sources: z.array(answerSource).readonly().optional(),
  ...effort,
});
export type ChatMessage = z.infer<typeof chatMessage>;

export const conversationCard = z.object({
  id: z.string(),
  title: z.string(),
  head: z.string().nullable(),
  topologyId: z.int().nullable().describe('The topology that a turn was about last'),
  running: z.string().nullable().describe('The run of the turn that is under way'),
  createdAt: z.string().nullable(),
  updatedAt: z.string().nullable(),
});

export const conversationPage = z.object({
  items: z.array(conversationCard),
  nextCursor: z.string().nullable(),
});

/** A conversation with the messages of its current path. */
export const conversationView = conversationCard.extend({ messages: z.array(chatMessage) });

/** A conversation with all its exchanges. */
export const conversationTree = conversationCard.extend({
  heads: z.array(z.string()),
  nodes: z.array(
    z.object({
      id: z.string(),
      parentId: z.string().nullable(),
      runId: z.string(),
      ...questionAndAnswer,
      createdAt: z.string().nullable(),
    }),
  ),
});
