import { z } from 'zod';

/** What an answer rests on, the best first. */
export const answerSource = z.object({
  path: z.string(),
  source_type: z.string(),
  snippet: z.string(),
  score: z.number(),
});

/** A message of a conversation. Contract section 8. */
export const chatMessage = z.object({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  created_at: z.string().nullable(),
  run_id: z.string(),
  partial: z.boolean(),
  sources: z.array(answerSource).readonly().optional(),
});
export type ChatMessage = z.infer<typeof chatMessage>;

export const conversationCard = z.object({
  id: z.string(),
  title: z.string(),
  head: z.string().nullable(),
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
      question: z.string(),
      answer: z.string(),
      status: z.enum(['running', 'completed', 'failed', 'cancelled']),
      partial: z.boolean(),
      error: z.string().optional().describe('Why the turn failed'),
      sources: z.array(answerSource).readonly().optional(),
      createdAt: z.string().nullable(),
    }),
  ),
});
