import type {
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
} from '@ai-sdk/provider';
import type { PastMessage } from '../../domain/chat/chat.js';
import type { Message } from '../../domain/message.js';
import { REFUSED_ORIGIN, writeData } from '../../domain/prompt/data-block.js';
import { isJsonObject, textOf, type Json } from '../../lib/json.js';
import { clip } from '../../lib/text.js';
import type { ModelEntry } from '../../models/models.js';

export type { Message } from '../../domain/message.js';

/** The request for a model in a turn. */
export interface ModelPrompt {
  /** The models that it was built for. */
  chain: readonly ModelEntry[];
  prompt: LanguageModelV3Prompt;
  tools: LanguageModelV3FunctionTool[];
  /** Its estimated tokens. */
  tokens: number;
  /** By our estimate, see `density.ts`. */
  bytes: number;
}

/** The beginning of every request of an agent. */
export interface PromptPrefix {
  /**
   * Instructions: first the part that all agents of a role share, then the agent's own. Providers
   * cache each part by its beginning.
   */
  system: readonly string[];
  /** Earlier messages of the conversation, in a chat. */
  history: readonly PastMessage[];
  /** Its first message. */
  task: string;
  /** The code of the run's data blocks. */
  code: string;
  /** Removes addresses and secrets from foreign text. */
  mask: (text: string) => string;
}

/**
 * The messages for a model: instructions, task, and the conversation, with the results of a turn in
 * the order of its calls whatever order they came in. Foreign text is a data block with its origin.
 */
export function toPrompt(
  { system, history, task, ...marks }: PromptPrefix,
  messages: readonly Message[],
): LanguageModelV3Prompt {
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'result' ? [[message.id, message] as const] : [],
    ),
  );
  const prompt: LanguageModelV3Message[] = [
    ...system.map((content) => ({ role: 'system' as const, content })),
    ...history.map(({ role, text }): LanguageModelV3Message => ({
      role,
      content: [{ type: 'text', text }],
    })),
    user(task),
  ];
  for (const message of messages) {
    if (message.role === 'note') prompt.push(user(noteText(message, marks)));
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
      content: calls.map((call) => ({
        type: 'tool-result' as const,
        toolCallId: call.id,
        toolName: call.tool,
        output: outputOf(call, results.get(call.id), marks),
      })),
    });
  }
  return prompt;
}

const user = (text: string): LanguageModelV3Message => ({
  role: 'user',
  content: [{ type: 'text', text }],
});

/** How foreign text is marked, and what is removed from it. */
type Marks = Pick<PromptPrefix, 'code' | 'mask'>;

const noteText = (
  { text, origin }: Extract<Message, { role: 'note' }>,
  { code, mask }: Marks,
): string => (origin === undefined ? mask(text) : writeData({ origin, text: mask(text) }, code));

type Call = Extract<Message, { role: 'assistant' }>['calls'][number];
type Result = Extract<Message, { role: 'result' }>;

/**
 * The service's own words about a call that was not made. The reason may quote the call, so it is
 * data.
 */
const REFUSED = 'The service refused this call; correct it if you still need it.';

/**
 * The result of a call as a data block, whatever it contains; for a failed call, the text of its
 * error.
 */
function outputOf({ tool, args }: Call, result: Result | undefined, { code, mask }: Marks) {
  const output = result?.output ?? null;
  const about = textOf(args, 'node') || textOf(args, 'worker') || textOf(args, 'team');
  const failed = result?.failed === true;
  const origin = `${tool}${about === '' ? '' : ` of ${clip(about, 100)}`}${failed ? endingOf(output) : ''}`;
  const text = failed ? errorIn(output) : JSON.stringify(output);
  const block = writeData({ origin, text: mask(text) }, code);
  return {
    type: failed ? ('error-text' as const) : ('text' as const),
    value: result?.refused === true ? `${block}\n${REFUSED}` : block,
  };
}

/**
 * How the origin of a failed call ends: a call that a role refused differs from one that failed.
 */
const endingOf = (output: Json): string =>
  isJsonObject(output) && output['code'] === 'REFUSED' ? REFUSED_ORIGIN : ', failed';

function errorIn(output: Json): string {
  if (typeof output === 'string') return output;
  return (isJsonObject(output) && textOf(output, 'error')) || JSON.stringify(output);
}

/** A tool as it is offered to a model. */
export const functionTool = (
  name: string,
  description: string,
  schema: object,
): LanguageModelV3FunctionTool => ({
  type: 'function',
  name,
  description,
  inputSchema: compactSchema(schema),
});

/** Keywords without a meaning for a model: they would be sent with every request. */
const SILENT: Readonly<Record<string, unknown>> = {
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
};

const compact = new WeakMap<object, object>();

/** A JSON Schema without its dialect and the bounds of safe integers. */
function compactSchema(schema: object): object {
  const known = compact.get(schema);
  if (known) return known;
  const { $schema: _, ...rest } = schema as { $schema?: unknown };
  const text = JSON.stringify(rest, (key, value: unknown) =>
    Object.hasOwn(SILENT, key) && SILENT[key] === value ? undefined : value,
  );
  const made = JSON.parse(text) as object;
  compact.set(schema, made);
  return made;
}
