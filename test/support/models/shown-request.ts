import type { Exchange } from './provider-server.js';

type Block = { type: string; text?: string; cache_control?: object } & Record<string, unknown>;

/** What differs from run to run, replaced: codes, times, and in data blocks all numbers. */
const steady = (text: string): string =>
  text
    .replaceAll(/^Time: .*$/gm, 'Time: NOW UTC. Be done by LATER UTC.')
    .replaceAll(/^Data code: \w+$/gm, 'Data code: CODE')
    .replaceAll(
      /\[data \w+ from ([^\]]*)\]\n([\s\S]*?)\n\[end \w+\]/g,
      (_, origin: string, data: string) =>
        `[data CODE from ${origin}]\n${data.replaceAll(/\d+(\.\d+)?/g, 'N')}\n[end CODE]`,
    )
    .replaceAll(/\bTopology \d+/g, 'Topology N')
    .replaceAll(/"id":\d{4}\b/g, '"id":N');

const mark = ({ cache_control }: Block): string => (cache_control ? '  <- cached up to here' : '');

function shownBlock(block: Block): string {
  switch (block.type) {
    case 'text':
      return `${steady(block.text ?? '')}${mark(block)}`;
    case 'tool_use':
      return `(calls ${String(block['name'])} ${JSON.stringify(block['input'])})${mark(block)}`;
    case 'tool_result': {
      const content = block['content'] as string | Block[];
      const text =
        typeof content === 'string' ? content : content.map((each) => each.text ?? '').join('');
      return `(result${block['is_error'] === true ? ', error' : ''})\n${steady(text)}${mark(block)}`;
    }
    default:
      return block.type;
  }
}

/**
 * A request to Anthropic's messages API, as a text that a person can read and a test can compare.
 */
export function shownRequest({ body }: Exchange): string {
  const tools = (body['tools'] ?? []) as {
    name: string;
    description: string;
    input_schema: object;
  }[];
  const messages = body['messages'] as { role: string; content: Block[] }[];
  return [
    `max_tokens: ${JSON.stringify(body['max_tokens'])}`,
    ...tools.map(
      ({ name, description, input_schema: schema }) =>
        `=== tool ${name}\n${description}\n${JSON.stringify(schema)}`,
    ),
    ...(body['system'] as Block[]).map((block) => `=== system\n${shownBlock(block)}`),
    ...messages.map(
      ({ role, content }) => `=== ${role}\n${content.map((block) => shownBlock(block)).join('\n')}`,
    ),
  ].join('\n\n');
}
