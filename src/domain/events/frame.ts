import { SLOTS, type DraftEvent } from './event.js';
import { passGate, utf8Length } from './payload-gate.js';

/** Bytes of a frame unless configured otherwise: EVENT_MAX_BYTES. */
export const EVENT_MAX_BYTES = 262_144;

/** Where the append puts what only it knows: a NUL byte, which JSON text never contains. */
const SLOT = '\0';

/** An event made ready for the append script: name, what the script must remember of it, and the bytes after `sequence`. */
export interface ReadyEvent {
  name: string;
  kind: '' | 'usage' | 'result' | 'dispatch' | 'report' | 'seal' | 'once';
  argument: string;
  tail: string;
}

const NAME = /^([a-z]+)\.([a-z_]+)$/;

/** What the append adds to a payload: run id, timestamp, sequence twice, the names, and token totals. At most this many bytes. */
const ADDED = 400;
/** More tokens than any run may use; adding them up stays exact. */
const MOST_TOKENS = 1e12;

/** A count of tokens as a provider gave it, or 0 where it is none: a broken count must not break the log. */
const tokens = (count: unknown): number =>
  typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 && count <= MOST_TOKENS
    ? count
    : 0;

/** In hundred-millionths, so that adding them up stays exact; empty where no price is known. */
const costUnits = (cost: number | undefined): string =>
  cost !== undefined && cost >= 0 && cost <= 1e6 ? String(Math.round(cost * 1e8)) : '';

/** The JSON of a text with slots in it: their escapes, and the quotes around one that stands alone, become the bare bytes. */
const slotted = (json: string): string =>
  Object.values(SLOTS).reduce((text, slot) => {
    const escaped = JSON.stringify(slot);
    return text.replaceAll(escaped, slot).replaceAll(escaped.slice(1, -1), slot);
  }, json);

/** The JSON of an object with one more key whose value the append fills in. */
function withSlot(json: string, key: string): string {
  return `${json.slice(0, -1)}${json === '{}' ? '' : ','}"${key}":${SLOT}}`;
}

/**
 * Serialises an event, once for its whole life: the bytes made here are stored, published and sent as they are.
 * @param maxBytes of the whole frame; a larger payload is cut, see `passGate`
 * @throws TypeError on what JSON cannot say (a circle, a bigint).
 */
export function readyEvent(draft: DraftEvent, maxBytes = EVENT_MAX_BYTES): ReadyEvent {
  const [, category, action] = NAME.exec(draft.name) ?? [];
  const head = `,"source":${JSON.stringify(draft.source)},"event":{"category":"${category}","action":"${action}"},"data":`;
  const around = (data: string) => `${head}${data}}`;
  const json = (data: object) => passGate(data, maxBytes - ADDED - utf8Length(head));
  const plain = () => around(json(draft.data));
  const { name } = draft;
  switch (name) {
    case 'llm.usage': {
      const [input_tokens, output_tokens] = [
        tokens(draft.data.input_tokens),
        tokens(draft.data.output_tokens),
      ];
      const data = json({ ...draft.data, input_tokens, output_tokens });
      return {
        name,
        kind: 'usage',
        argument: `${input_tokens}:${output_tokens}:${costUnits(draft.data.cost)}`,
        tail: around(withSlot(data, 'total_tokens')),
      };
    }
    case 'llm.tool_result':
      return { name, kind: 'result', argument: draft.data.tool_call_id, tail: plain() };
    case 'dispatch.team':
    case 'dispatch.worker':
      return { name, kind: 'dispatch', argument: draft.data.dispatch_id, tail: plain() };
    case 'dispatch.report':
      return { name, kind: 'report', argument: draft.data.dispatch_id, tail: plain() };
    case 'lifecycle.completed':
      return {
        name,
        kind: 'seal',
        argument: 'completed',
        tail: around(withSlot(json(draft.data), 'usage')),
      };
    case 'lifecycle.failed':
      return { name, kind: 'seal', argument: 'failed', tail: plain() };
    case 'lifecycle.cancelled':
      return { name, kind: 'seal', argument: 'cancelled', tail: plain() };
    case 'system.warning': {
      const { when } = draft;
      if (!when) return { name, kind: '', argument: '', tail: plain() };
      const { once, tokens } = when;
      if (!tokens) return { name, kind: 'once', argument: once, tail: plain() };
      return {
        name,
        kind: 'once',
        argument: `${once}:${tokens.from}:${tokens.budget}`,
        tail: around(slotted(json(draft.data))),
      };
    }
    case 'lifecycle.started':
    case 'llm.stream':
    case 'llm.reasoning':
    case 'llm.tool_call':
    case 'system.topology':
    case 'system.error':
      return { name, kind: '', argument: '', tail: plain() };
  }
}

/** The JSON of a frame: what stands after `data: ` up to the end of the frame. */
export function frameData(frame: string): string {
  return frame.slice(frame.indexOf('\ndata: ') + 7, -2);
}

const PLACES =
  /"sequence":(\d+),"source":.*?,"event":\{"category":"([a-z]+)","action":"([a-z_]+)"\},"data":/s;

/** The frame of an event's JSON, as it was: what `frameData` takes apart. @throws Error where it is no such JSON */
export function frameOf(json: string): string {
  const [, sequence, category, action] = PLACES.exec(json) ?? [];
  if (sequence === undefined) throw new Error('this is no event of a log');
  return `event: ${category}.${action}\nid: ${sequence}\ndata: ${json}\n\n`;
}
