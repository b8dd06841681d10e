import type { LanguageModelV3Message, LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { readData } from '../../../src/domain/prompt/data-block.js';
import { runbookModel } from '../../../src/models/runbook/runbook-model.js';
import type { Say } from './provider-frames.js';
import { answer, type Exchange, type Reply } from './provider-server.js';

interface ToolResult {
  id: string;
  /** The tool that was called. */
  name: string;
  text: string;
  /** Undefined if the protocol does not say. */
  failed?: boolean;
}

/**
 * The built-in planner as a provider: it reads the conversation from the request and replies as the
 * planner would. So a whole run goes through a real protocol: OpenAI's chat completions or
 * Anthropic's messages.
 */
export const runbookReply: Reply = async (exchange) => {
  await answer(
    ...(isLibrarian(exchange) ? [{ text: 'Nothing of note.' }] : await saysOf(exchange)),
  )(exchange);
};

/** Whether a request comes from a librarian, for which the planner has no rules. */
export const isLibrarian = ({ body }: Exchange): boolean =>
  JSON.stringify(body).includes('You are a librarian');

/** The planner's reply to a request. */
async function saysOf({ body, protocol }: Exchange): Promise<Say[]> {
  const prompt = protocol === 'anthropic' ? fromAnthropic(body) : fromChat(body);
  const tools = (body['tools'] ?? []) as { name?: string; function?: { name: string } }[];
  const { stream } = await runbookModel.doStream({
    prompt,
    tools: tools.map((tool) => ({
      type: 'function',
      name: tool.name ?? tool.function?.name ?? '',
      inputSchema: {},
    })),
  });
  const says: Say[] = [];
  for await (const part of stream as unknown as AsyncIterable<LanguageModelV3StreamPart>) {
    if (part.type === 'reasoning-delta') says.push({ reasoning: part.delta });
    if (part.type === 'text-delta') says.push({ text: part.delta });
    if (part.type === 'tool-call')
      says.push({
        call: part.toolName,
        args: part.input,
        id: `${part.toolCallId}_${Math.random().toString(36).slice(2)}`,
      });
  }
  return says;
}

const toolMessage = (results: readonly ToolResult[]): LanguageModelV3Message => ({
  role: 'tool',
  content: results.map(({ id, name, text, failed }) => ({
    type: 'tool-result',
    toolCallId: id,
    toolName: name,
    output: outputOf(text, failed),
  })),
});

const outputOf = (text: string, failed: boolean | undefined) => ({
  type:
    (failed ?? readData(text)?.origin.endsWith(', failed') === true)
      ? ('error-text' as const)
      : ('text' as const),
  value: text,
});

const userMessage = (text: string): LanguageModelV3Message => ({
  role: 'user',
  content: [{ type: 'text', text }],
});

function fromChat(body: Exchange['body']): LanguageModelV3Message[] {
  const messages = body['messages'] as {
    role: string;
    content: string | null;
    tool_call_id?: string;
    tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  }[];
  const called = messages.flatMap(({ tool_calls = [] }) => tool_calls);
  const nameOf = (id: string) => called.find((call) => call.id === id)?.function.name ?? '';
  return messages.flatMap(
    ({ role, content, tool_calls = [], tool_call_id = '' }): LanguageModelV3Message[] => {
      if (role === 'system') return [{ role, content: content ?? '' }];
      if (role === 'tool')
        return [
          toolMessage([{ id: tool_call_id, name: nameOf(tool_call_id), text: content ?? '' }]),
        ];
      if (role === 'user') return [userMessage(content ?? '')];
      if (role !== 'assistant') return [];
      const calls = tool_calls.map(({ id, function: { name, arguments: args } }) => ({
        type: 'tool-call' as const,
        toolCallId: id,
        toolName: name,
        input: JSON.parse(args) as unknown,
      }));
      return [{ role, content: calls }];
    },
  );
}

function fromAnthropic(body: Exchange['body']): LanguageModelV3Message[] {
  type Block = {
    type: string;
    text: string;
    id: string;
    name: string;
    input: unknown;
    tool_use_id: string;
    content: string | { text: string }[];
    is_error?: boolean;
  };
  const system = (body['system'] as { text: string }[]).map(({ text }) => text).join('\n\n');
  const messages = body['messages'] as { role: string; content: Block[] }[];
  const called = messages.flatMap(({ content }) =>
    content.filter(({ type }) => type === 'tool_use'),
  );
  const nameOf = (id: string) => called.find((block) => block.id === id)?.name ?? '';
  return [
    { role: 'system', content: system },
    ...messages.flatMap(({ role, content }): LanguageModelV3Message[] => {
      if (role === 'assistant')
        return [
          {
            role,
            content: content.flatMap((block) =>
              block.type === 'tool_use'
                ? [
                    {
                      type: 'tool-call' as const,
                      toolCallId: block.id,
                      toolName: block.name,
                      input: block.input,
                    },
                  ]
                : [],
            ),
          },
        ];
      return content.flatMap((block) =>
        block.type !== 'tool_result'
          ? [userMessage(block.text)]
          : toolMessage([
              {
                id: block.tool_use_id,
                name: nameOf(block.tool_use_id),
                text:
                  typeof block.content === 'string'
                    ? block.content
                    : block.content.map(({ text }) => text).join(''),
                failed: block.is_error === true,
              },
            ]),
      );
    }),
  ];
}
