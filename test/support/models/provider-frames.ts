/** The three streaming protocols of model providers, as the bytes of their frames. */
export const PROTOCOLS = ['chat', 'responses', 'anthropic'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

export const PATHS: Readonly<Record<string, Protocol>> = {
  '/v1/chat/completions': 'chat',
  '/v1/responses': 'responses',
  '/v1/messages': 'anthropic',
};

/** One step of a provider's response. `usage`: input and output tokens. */
export type Say =
  | { begin: true }
  | { text: string }
  | { reasoning: string }
  | { call: string; args: string; id?: string }
  | { end: 'stop' | 'tool-calls' | 'length'; usage?: [number, number] | null };

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const event = (value: { type: string; [key: string]: unknown }): string =>
  `event: ${value.type}\n${data(value)}`;
const halves = (text: string): string[] => [
  text.slice(0, text.length >> 1),
  text.slice(text.length >> 1),
];

/** Creates the frames of one response; blocks and calls are numbered in order. */
export class Frames {
  private block = 0;
  private calls = 0;
  private readonly items: unknown[] = [];

  constructor(private readonly protocol: Protocol) {}

  /** A whole response. */
  static of(protocol: Protocol, says: readonly Say[]): string {
    const frames = new Frames(protocol);
    const ends = says.some((say) => 'end' in say);
    const end = says.some((say) => 'call' in say) ? 'tool-calls' : 'stop';
    return [{ begin: true } as Say, ...says, ...(ends ? [] : [{ end } as Say])]
      .map((say) => frames.say(say))
      .join('');
  }

  say(say: Say): string {
    return this[this.protocol](say);
  }

  /** An error in the middle of a stream, in the form of this protocol. */
  error(type: string, message: string): string {
    switch (this.protocol) {
      case 'anthropic':
        return event({ type: 'error', error: { type, message } });
      case 'chat':
        return data({ error: { type, code: type, message, param: null } });
      case 'responses':
        return event({
          type: 'error',
          code: type,
          message,
          param: null,
          sequence_number: 9,
          error: { type, code: type, message, param: null },
        });
    }
  }

  private chat(say: Say): string {
    const chunk = (delta: object, finish: string | null = null) =>
      data({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'm',
        choices: [{ index: 0, delta, finish_reason: finish }],
      });
    if ('begin' in say) return chunk({ role: 'assistant', content: '' });
    if ('text' in say) return chunk({ content: say.text });
    if ('reasoning' in say) return chunk({ reasoning_content: say.reasoning });
    if ('call' in say) {
      const index = this.calls++;
      const [first = '', second = ''] = halves(say.args);
      return (
        chunk({
          tool_calls: [
            {
              index,
              id: say.id ?? `call_${index}`,
              type: 'function',
              function: { name: say.call, arguments: first },
            },
          ],
        }) + chunk({ tool_calls: [{ index, function: { arguments: second } }] })
      );
    }
    const reason = { stop: 'stop', 'tool-calls': 'tool_calls', length: 'length' }[say.end];
    const [input, output] = say.usage ?? [10, 5];
    const usage = {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: 4 },
    };
    const last =
      say.usage === null
        ? ''
        : data({
            id: 'chatcmpl-1',
            object: 'chat.completion.chunk',
            created: 1,
            model: 'm',
            choices: [],
            usage,
          });
    return `${chunk({}, reason)}${last}data: [DONE]\n\n`;
  }

  private anthropic(say: Say): string {
    const content = (block: object, deltas: object[]) => {
      const index = this.block++;
      return [
        event({ type: 'content_block_start', index, content_block: block }),
        ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
        event({ type: 'content_block_stop', index }),
      ].join('');
    };
    if ('begin' in say) {
      const usage = {
        input_tokens: 6,
        output_tokens: 1,
        cache_read_input_tokens: 4,
        cache_creation_input_tokens: 0,
      };
      const message = {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage,
      };
      return event({ type: 'message_start', message }) + event({ type: 'ping' });
    }
    if ('text' in say)
      return content({ type: 'text', text: '' }, [{ type: 'text_delta', text: say.text }]);
    if ('reasoning' in say)
      return content({ type: 'thinking', thinking: '' }, [
        { type: 'thinking_delta', thinking: say.reasoning },
      ]);
    if ('call' in say) {
      const block = {
        type: 'tool_use',
        id: say.id ?? `toolu_${this.calls++}`,
        name: say.call,
        input: {},
      };
      return content(
        block,
        halves(say.args).map((part) => ({ type: 'input_json_delta', partial_json: part })),
      );
    }
    const stop_reason = { stop: 'end_turn', 'tool-calls': 'tool_use', length: 'max_tokens' }[
      say.end
    ];
    const output_tokens = say.usage?.[1] ?? 5;
    return (
      event({
        type: 'message_delta',
        delta: { stop_reason, stop_sequence: null },
        usage: { output_tokens },
      }) + event({ type: 'message_stop' })
    );
  }

  private responses(say: Say): string {
    const output_index = this.block;
    const item = (value: { id: string } & Record<string, unknown>, deltas: string): string => {
      this.block++;
      this.items.push(value);
      return (
        event({
          type: 'response.output_item.added',
          output_index,
          item: { ...value, ...('arguments' in value && { arguments: '' }) },
        }) +
        deltas +
        event({ type: 'response.output_item.done', output_index, item: value })
      );
    };
    const id = `item_${output_index}`;
    if ('begin' in say)
      return event({
        type: 'response.created',
        response: { id: 'resp_1', created_at: 1, model: 'm' },
      });
    if ('text' in say)
      return item(
        { type: 'message', id, role: 'assistant', content: [] },
        event({
          type: 'response.output_text.delta',
          item_id: id,
          output_index,
          content_index: 0,
          delta: say.text,
        }),
      );
    if ('reasoning' in say)
      return item(
        { type: 'reasoning', id, summary: [] },
        event({
          type: 'response.reasoning_summary_part.added',
          item_id: id,
          output_index,
          summary_index: 0,
        }) +
          event({
            type: 'response.reasoning_summary_text.delta',
            item_id: id,
            output_index,
            summary_index: 0,
            delta: say.reasoning,
          }) +
          event({
            type: 'response.reasoning_summary_part.done',
            item_id: id,
            output_index,
            summary_index: 0,
          }),
      );
    if ('call' in say)
      return item(
        {
          type: 'function_call',
          id,
          call_id: say.id ?? `call_${this.calls++}`,
          name: say.call,
          arguments: say.args,
          status: 'completed',
        },
        halves(say.args)
          .map((delta) =>
            event({
              type: 'response.function_call_arguments.delta',
              item_id: id,
              output_index,
              delta,
            }),
          )
          .join('') +
          event({
            type: 'response.function_call_arguments.done',
            item_id: id,
            output_index,
            arguments: say.args,
          }),
      );
    const [input_tokens, output_tokens] = say.usage ?? [10, 5];
    const usage = {
      input_tokens,
      output_tokens,
      input_tokens_details: { cached_tokens: 4 },
      output_tokens_details: { reasoning_tokens: 0 },
    };
    const short = say.end === 'length';
    const response = {
      id: 'resp_1',
      created_at: 1,
      model: 'm',
      output: this.items,
      incomplete_details: short ? { reason: 'max_output_tokens' } : null,
      usage: say.usage === null ? null : usage,
    };
    return event({ type: short ? 'response.incomplete' : 'response.completed', response });
  }
}
