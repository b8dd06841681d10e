import { askedOnce, decidedOnce } from '../approval.js';
import { SLOTS, type DraftEvent } from './event.js';
import { serialisePayload, utf8Length } from './serialise-payload.js';

/**
 * Default of EVENT_MAX_BYTES.
 * @internal Exported for tests.
 */
export const EVENT_MAX_BYTES = 262_144;

/** Marks where the append inserts a value: a NUL byte, which JSON text never contains. */
const SLOT = '\0';

/**
 * A serialised event for the append script: its name, the index entry that the script writes, and
 * the bytes after `sequence`.
 */
export interface ReadyEvent {
  name: string;
  kind: '' | 'usage' | 'result' | 'dispatch' | 'report' | 'seal' | 'once';
  argument: string;
  tail: string;
}

const NAME = /^([a-z]+)\.([a-z_]+)$/;

/**
 * Maximum bytes that the append adds: run id, timestamp, sequence twice, the names, and token
 * totals.
 */
const ADDED = 400;
/** More tokens than any run may use. Sums below it are exact. */
const MOST_TOKENS = 1e12;

/** A provider's token count, or 0 if it is not a valid count. */
const tokens = (count: unknown): number =>
  typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 && count <= MOST_TOKENS
    ? count
    : 0;

/** In hundred-millionths, so that sums are exact; empty if the price is unknown. */
const costUnits = (cost: number | undefined): string =>
  cost !== undefined && cost >= 0 && cost <= 1e6 ? String(Math.round(cost * 1e8)) : '';

/**
 * Replaces escaped placeholders in JSON by bare bytes, with the quotes of a placeholder that is the
 * whole text.
 */
const slotted = (json: string): string =>
  Object.values(SLOTS).reduce((text, slot) => {
    const escaped = JSON.stringify(slot);
    return text.replaceAll(escaped, slot).replaceAll(escaped.slice(1, -1), slot);
  }, json);

/** Adds a key to the JSON of an object, whose value the append inserts. */
function withSlot(json: string, key: string): string {
  return `${json.slice(0, -1)}${json === '{}' ? '' : ','}"${key}":${SLOT}}`;
}

/**
 * Serialises an event. The resulting bytes are stored, published and sent unchanged.
 * @param maxBytes of the whole frame; a larger payload is cut, see `serialisePayload`
 * @throws TypeError if JSON cannot represent the data (a cycle, a bigint)
 */
export function readyEvent(draft: DraftEvent, maxBytes = EVENT_MAX_BYTES): ReadyEvent {
  const [, category, action] = NAME.exec(draft.name) ?? [];
  const head = `,"source":${JSON.stringify(draft.source)},"event":{"category":"${category}","action":"${action}"},"data":`;
  const around = (data: string) => `${head}${data}}`;
  const json = (data: object) => serialisePayload(data, maxBytes - ADDED - utf8Length(head));
  const plain = () => around(json(draft.data));
  const { name } = draft;
  switch (name) {
    case 'llm.usage': {
      const input_tokens = tokens(draft.data.input_tokens);
      const output_tokens = tokens(draft.data.output_tokens);
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
    case 'system.approval':
      return { name, kind: 'once', argument: askedOnce(draft.data.approval_id), tail: plain() };
    case 'system.decision':
      return { name, kind: 'once', argument: decidedOnce(draft.data.approval_id), tail: plain() };
    case 'lifecycle.started':
    case 'llm.stream':
    case 'llm.reasoning':
    case 'llm.tool_call':
    case 'system.topology':
    case 'system.error':
      return { name, kind: '', argument: '', tail: plain() };
  }
}

/** The JSON of a frame: the text after `data: ` until the end of the frame. */
export function frameData(frame: string): string {
  return frame.slice(frame.indexOf('\ndata: ') + 7, -2);
}

const PLACES =
  /"sequence":(\d+),"source":.*?,"event":\{"category":"([a-z]+)","action":"([a-z_]+)"\},"data":/s;

/**
 * The frame of an event's JSON, the inverse of `frameData`.
 * @throws Error if it is not such JSON
 */
export function frameOf(json: string): string {
  const [, sequence, category, action] = PLACES.exec(json) ?? [];
  if (sequence === undefined) throw new Error('the text is not an event of a log');
  return `event: ${category}.${action}\nid: ${sequence}\ndata: ${json}\n\n`;
}
