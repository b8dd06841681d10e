import { isJsonObject, textOf, type Json, type JsonObject } from '../../lib/json.js';
import { countingFetch } from './counting-fetch.js';

/** Stands for the name of a call that has none. No tool can have this name. */
export const NO_NAME = '(no name)';

/**
 * `fetch` for chat completions. The packages refuse an answer in which a call has no name, so such
 * a call gets one: it reaches the agent, which answers it as an error.
 */
export const chatFetch: typeof fetch = async (input, init) => {
  const response = await countingFetch(input, init);
  if (!response.ok || !response.body) return response;
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(nameCalls()), { status, statusText, headers });
};

/**
 * Holds the parts of a call back until its name comes, and writes the calls that got none at the
 * end of the answer.
 * @internal Exported for tests.
 */
export function nameCalls(): TransformStream<Uint8Array, Uint8Array> {
  const calls = new NamedCalls();
  const decoder = new TextDecoder();
  // `TextEncoderStream` takes characters one by one: 70 ms for a line of 1 MiB.
  const encoder = new TextEncoder();
  let rest = '';
  const read = (line: string): string =>
    line.startsWith('data: [DONE]') ? `${unnamed(calls)}${line}` : withNames(calls, line);
  return new TransformStream({
    transform(bytes, controller) {
      const [first = '', ...others] = decoder.decode(bytes, { stream: true }).split('\n');
      const last = others.pop();
      rest += first;
      if (last === undefined) return;
      const lines = [rest, ...others].map((line) => `${read(line)}\n`);
      rest = last;
      controller.enqueue(encoder.encode(lines.join('')));
    },
    flush(controller) {
      controller.enqueue(encoder.encode(rest === '' ? unnamed(calls) : read(rest)));
    },
  });
}

const dataOf = (value: Json): string => `data: ${JSON.stringify(value)}`;

/** The event with the calls that have got no name so far; empty if there are none. */
function unnamed(calls: NamedCalls): string {
  const tool_calls = calls.takeUnnamed();
  return tool_calls.length === 0
    ? ''
    : `${dataOf({ choices: [{ index: 0, delta: { tool_calls } }] })}\n\n`;
}

/** A line of the stream without the parts of calls whose name is not known yet. */
function withNames(calls: NamedCalls, line: string): string {
  if (!line.startsWith('data:') || !line.includes('"tool_calls"')) return line;
  const chunk = parsed(line.slice('data:'.length));
  const choices = memberOf(chunk, 'choices');
  const choice = Array.isArray(choices) ? choices[0] : undefined;
  const delta = memberOf(choice, 'delta');
  const parts = memberOf(delta, 'tool_calls');
  if (!isJsonObject(chunk) || !isJsonObject(choice) || !isJsonObject(delta)) return line;
  if (!Array.isArray(parts) || !parts.every(isJsonObject)) return line;
  const tool_calls = parts.flatMap((part) => calls.take(part));
  const isSame =
    tool_calls.length === parts.length && tool_calls.every((call, i) => call === parts[i]);
  return isSame
    ? line
    : dataOf({ ...chunk, choices: [{ ...choice, delta: { ...delta, tool_calls } }] });
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

const memberOf = (value: Json | undefined, key: string): Json | undefined =>
  isJsonObject(value) ? value[key] : undefined;

/** The calls of one answer. */
class NamedCalls {
  /** The first part of each call whose name is not known yet, with all its arguments so far. */
  private readonly pending = new Map<string, JsonObject>();
  private readonly known = new Set<string>();
  /**
   * The call that the latest part belonged to. Some servers send no index, and an id only with the
   * first part.
   */
  private last = '';

  /**
   * @returns the part, with all before it if it has brought the name; nothing if the name is not
   *   known yet
   */
  take(part: JsonObject): JsonObject[] {
    const id = textOf(part, 'id').trim();
    if (typeof part['index'] === 'number') this.last = `${part['index']}`;
    else if (id !== '') this.last = `id ${id}`;
    if (this.known.has(this.last)) return [part];
    const before = this.pending.get(this.last);
    const name = textIn(part, 'name');
    const whole = before
      ? callOf(
          { ...part, ...before },
          name,
          textIn(before, 'arguments') + textIn(part, 'arguments'),
        )
      : part;
    if (name.trim() === '') {
      this.pending.set(this.last, whole);
      return [];
    }
    this.pending.delete(this.last);
    this.known.add(this.last);
    return [whole];
  }

  takeUnnamed(): JsonObject[] {
    const calls = [...this.pending.values()];
    this.pending.clear();
    return calls.map((call) => callOf(call, NO_NAME, textIn(call, 'arguments')));
  }
}

const textIn = (part: JsonObject, key: 'name' | 'arguments'): string => {
  const call = part['function'];
  return isJsonObject(call) ? textOf(call, key) : '';
};

const callOf = (part: JsonObject, name: string, args: string): JsonObject => ({
  ...part,
  function: { name, arguments: args },
});
