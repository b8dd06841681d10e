import type {
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
} from '@ai-sdk/provider';
import type { PastMessage } from '../../domain/chat/chat.js';
import type { Message } from '../../domain/message.js';
import type { ModelEntry } from '../../models/models.js';

export type { Message } from '../../domain/message.js';

/** What a model is sent in a turn. */
export interface Prepared {
  /** The models that it was put together for. */
  chain: readonly ModelEntry[];
  prompt: LanguageModelV3Prompt;
  tools: LanguageModelV3FunctionTool[];
  /** About how many tokens that is. */
  tokens: number;
  /** By our measure, see `density.ts`. */
  bytes: number;
}

/**
 * The messages for a model: system prompt, task, and the conversation, with the results of a turn in the order of its calls
 * whatever order they came in.
 * @param history what was said before this task
 */
export function toPrompt(
  system: string,
  task: string,
  messages: readonly Message[],
  history: readonly PastMessage[] = [],
): LanguageModelV3Prompt {
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'result' ? [[message.id, message] as const] : [],
    ),
  );
  const prompt: LanguageModelV3Message[] = [
    { role: 'system', content: system },
    ...history.map(({ role, text }): LanguageModelV3Message => ({
      role,
      content: [{ type: 'text', text }],
    })),
    { role: 'user', content: [{ type: 'text', text: task }] },
  ];
  for (const message of messages) {
    if (message.role === 'note')
      prompt.push({ role: 'user', content: [{ type: 'text', text: message.text }] });
    if (message.role !== 'assistant') continue;
    const { text, calls } = message;
    prompt.push({
      role: 'assistant',
      content: [
        ...(text === '' ? [] : [{ type: 'text' as const, text }]),
        ...calls.map(({ id, tool, args }) => ({
          type: 'tool-call' as const,
          toolCallId: id,
          toolName: tool,
          input: args,
        })),
      ],
    });
    if (calls.length === 0) continue;
    prompt.push({
      role: 'tool',
      content: calls.map(({ id, tool }) => {
        const result = results.get(id);
        return {
          type: 'tool-result' as const,
          toolCallId: id,
          toolName: tool,
          output: result?.failed
            ? {
                type: 'error-text' as const,
                value:
                  typeof result.output === 'string' ? result.output : JSON.stringify(result.output),
              }
            : { type: 'json' as const, value: result?.output ?? null },
        };
      }),
    });
  }
  return prompt;
}

export const functionTool = (
  name: string,
  description: string,
  schema: object,
): LanguageModelV3FunctionTool => ({
  type: 'function',
  name,
  description,
  inputSchema: schema,
});
