import { isJsonObject, type Json } from '../../lib/json.js';
import { JsonEnd } from './json-end.js';
import { plainToken, type CallOpening } from './opening.js';
import { readArgs, readValue } from './read-args.js';
import type { OfferedTools, TextCall } from './text-call.js';

const NAME_KEYS = [
  'name',
  'tool',
  'tool_name',
  'function_name',
  'function',
  'recipient_name',
] as const;
const ARGS_KEYS = ['arguments', 'parameters', 'args', 'input', 'tool_input', 'params'] as const;
/** Matches the tags of wrappers within a wrapper. */
const INNER_WRAPPER = /<\/?(?:tool_?calls?|function_?calls?|tool_use)>/gi;
const OTHER_KEYS = ['type', 'id', 'tool_calls', 'index', 'call_id', 'thought'];

/** Some models write the tool `x` as `functions.x` or `x:0`. */
const plainName = (name: string): string =>
  name
    .trim()
    .replace(/^functions?\./, '')
    .replace(/:\d+$/, '');

/**
 * Reads the calls in a block; undefined if it contains anything else, or a tool that was not
 * offered.
 */
export function readCalls(
  { kind, tool }: CallOpening,
  body: string,
  offered: OfferedTools,
): TextCall[] | undefined {
  if (tool !== undefined) {
    const input = readArgs(body, offered.get(tool) ?? new Set());
    return input === undefined ? undefined : [{ tool, input, written: `${tool} ${body}` }];
  }
  if (kind === 'bare' || kind === 'fence') return readJson(body, offered, true);
  const inner = body.replace(INNER_WRAPPER, ' ');
  return (
    readJson(body, offered, false) ??
    readJson(inner, offered, false) ??
    readTags(inner, offered) ??
    readNamed(body, offered) ??
    readBroken(body, offered)
  );
}

/**
 * Whether JSON with this beginning may be a call. Decided as soon as its first key or its name is
 * known.
 */
export function mayBeCall(start: string, offered: OfferedTools): 'yes' | 'no' | 'maybe' {
  const [all = '', key, closed] =
    /^(?:\[\s*)*(?:\{\s*(?:"((?:[^"\\]|\\.)*)("?))?)?/.exec(start) ?? [];
  const rest = start.slice(all.length);
  if (key === undefined) return rest === '' ? 'maybe' : 'no';
  const known: readonly string[] = [...NAME_KEYS, ...ARGS_KEYS, ...OTHER_KEYS];
  if (closed === '') return known.some((name) => name.startsWith(key)) ? 'maybe' : 'no';
  if (!known.includes(key)) return 'no';
  if (!(NAME_KEYS as readonly string[]).includes(key)) return 'yes';
  const [, value, end] = /^\s*:\s*(?:"([^"]*)("?))?/.exec(rest) ?? [];
  if (end === '"') return offered.has(plainName(value ?? '')) ? 'yes' : 'no';
  if (value !== undefined) return 'maybe';
  // `"function": {"name": …}`, or no text after the colon yet.
  return /^\s*(?::\s*)?$/.test(rest) ? 'maybe' : /^\s*:\s*\{/.test(rest) ? 'yes' : 'no';
}

/** Reads one or several JSON values, inside a fence or not. */
function readJson(body: string, offered: OfferedTools, strict: boolean): TextCall[] | undefined {
  const calls: TextCall[] = [];
  let rest = body
    .trim()
    .replace(/^```\w*\s*/, '')
    .replace(/\s*```$/, '');
  if (!/^[{[]/.test(rest)) return undefined;
  while (rest !== '') {
    const end = /^[{[]/.test(rest) ? new JsonEnd(0).find(rest) : undefined;
    if (end === undefined) return undefined;
    let value: Json;
    try {
      value = JSON.parse(rest.slice(0, end)) as Json;
    } catch {
      return undefined;
    }
    const found = callsOf(value, offered, strict);
    if (found === undefined) return undefined;
    const written = rest.slice(0, end);
    calls.push(...found.map((call) => ({ ...call, written })));
    rest = rest.slice(end).replace(/^[\s,;]+/, '');
  }
  return calls.length === 0 ? undefined : calls;
}

function callsOf(
  value: Json,
  offered: OfferedTools,
  strict: boolean,
): Omit<TextCall, 'written'>[] | undefined {
  if (Array.isArray(value)) {
    const all = value.map((item) => callsOf(item, offered, strict));
    return all.length > 0 && all.every((calls) => calls !== undefined) ? all.flat() : undefined;
  }
  if (!isJsonObject(value)) return undefined;
  if (value['tool_calls'] !== undefined) return callsOf(value['tool_calls'], offered, false);
  const inner = isJsonObject(value['function']) ? value['function'] : value;
  const name = NAME_KEYS.map((key) => inner[key]).find((found) => typeof found === 'string');
  const args = ARGS_KEYS.map((key) => inner[key]).find((found) => found !== undefined);
  if (name === undefined || (strict && args === undefined)) return undefined;
  const tool = plainName(name);
  if (!offered.has(tool)) return undefined;
  return [{ tool, input: typeof args === 'string' ? args : JSON.stringify(args ?? {}) }];
}

/** Reads one or several `<function=x>…</function>` or `<invoke name="x">…</invoke>`. */
function readTags(body: string, offered: OfferedTools): TextCall[] | undefined {
  const calls: TextCall[] = [];
  for (let rest = body.trim(); rest !== '';) {
    const [tag, word = '', name = ''] =
      /^<(function|invoke|tool)(?:=|\s+name\s*=)\s*["']?([\w.-]+)["']?\s*>/i.exec(rest) ?? [];
    if (tag === undefined || !offered.has(name)) return undefined;
    const closer = `</${word}>`;
    const end = rest.indexOf(closer, tag.length);
    const input = readArgs(
      rest.slice(tag.length, end < 0 ? undefined : end),
      offered.get(name) ?? new Set(),
    );
    if (input === undefined) return undefined;
    calls.push({ tool: name, input, written: rest.slice(0, end < 0 ? undefined : end) });
    rest = end < 0 ? '' : rest.slice(end + closer.length).trimStart();
  }
  return calls.length === 0 ? undefined : calls;
}

const SEPARATORS = /^(?:\s*<\|(?:tool_sep|tool_call_argument_begin)\|>|\s*\[args\])?\s*/i;

/**
 * Reads one or several names with arguments: separated by tokens, as JSON after the name, or as
 * GLM's `<arg_key>` and `<arg_value>`.
 */
function readNamed(body: string, offered: OfferedTools): TextCall[] | undefined {
  const calls: TextCall[] = [];
  const tokens = plainToken(body).replace(
    /<\|tool_calls?(?:_section)?_(?:begin|end)\|>|\[tool_calls\]/gi,
    '\0',
  );
  for (const part of tokens.split('\0').map((text) => text.trim())) {
    if (part === '') continue;
    const [head = '', written = ''] =
      /^(?:function\s*<\|tool_sep\|>)?\s*([\w.:-]+)/i.exec(part) ?? [];
    const tool = plainName(written);
    const texts = offered.get(tool);
    if (!texts) return undefined;
    const args = part
      .slice(head.length)
      .replace(SEPARATORS, '')
      .replace(/^```\w*\s*|\s*```$/g, '');
    const input = args.startsWith('<arg_key>')
      ? readPairs(args, texts)
      : args === '' || args.startsWith('{')
        ? args || '{}'
        : undefined;
    if (input === undefined) return undefined;
    calls.push({ tool, input, written: part });
  }
  return calls.length === 0 ? undefined : calls;
}

function readPairs(args: string, texts: ReadonlySet<string>): string {
  const pairs = args.split('<arg_key>').slice(1);
  return JSON.stringify(
    Object.fromEntries(
      pairs.map((pair) => {
        const [key = '', value = ''] = pair.split('<arg_value>');
        const name = key.replace(/<\/arg_key>[^]*$/, '').trim();
        return [name, readValue(value.replace(/<\/arg_value>[^]*$/, ''), texts.has(name))];
      }),
    ),
  );
}

/**
 * Reads invalid JSON in a wrapper as a call with its invalid arguments, so that the model receives
 * an error.
 */
function readBroken(body: string, offered: OfferedTools): TextCall[] | undefined {
  const tool = plainName(
    /"(?:name|tool|tool_name)"\s*:\s*"([\w.:-]{1,200})"/.exec(body)?.[1] ?? '',
  );
  if (!/^\s*[{[]/.test(body) || !offered.has(tool)) return undefined;
  const args = /"(?:arguments|parameters|args|input)"\s*:\s*([^]*)$/.exec(body)?.[1] ?? body;
  return [{ tool, input: args.trim(), written: body }];
}
