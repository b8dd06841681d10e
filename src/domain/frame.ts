import type { DraftEvent } from './event.js';

/** Where the append puts what only it knows: a NUL byte, which JSON text never contains. */
const SLOT = '\0';

/** An event made ready for the append script: name, what the script must remember of it, and the bytes after `sequence`. */
export interface ReadyEvent {
  name: string;
  kind: '' | 'usage' | 'result' | 'dispatch' | 'report' | 'seal';
  argument: string;
  tail: string;
}

const NAME = /^([a-z]+)\.([a-z_]+)$/;

/** `data` with one more key whose value the append fills in. */
function withSlot(data: object, key: string): string {
  const json = JSON.stringify(data);
  return `${json.slice(0, -1)}${json === '{}' ? '' : ','}"${key}":${SLOT}}`;
}

/**
 * Serialises an event, once for its whole life: the bytes made here are stored, published and sent as they are.
 * @throws TypeError on what JSON cannot say (a circle, a bigint).
 */
export function readyEvent(draft: DraftEvent): ReadyEvent {
  const [, category, action] = NAME.exec(draft.name) ?? [];
  const around = (data: string) =>
    `,"source":${JSON.stringify(draft.source)},"event":{"category":"${category}","action":"${action}"},"data":${data}}`;
  const plain = () => around(JSON.stringify(draft.data));
  const { name } = draft;
  switch (name) {
    case 'llm.usage': {
      const { input_tokens, output_tokens } = draft.data;
      return { name, kind: 'usage', argument: `${input_tokens}:${output_tokens}`, tail: around(withSlot(draft.data, 'total_tokens')) };
    }
    case 'llm.tool_result':
      return { name, kind: 'result', argument: draft.data.tool_call_id, tail: plain() };
    case 'dispatch.team':
    case 'dispatch.worker':
      return { name, kind: 'dispatch', argument: draft.data.dispatch_id, tail: plain() };
    case 'dispatch.report':
      return { name, kind: 'report', argument: draft.data.dispatch_id, tail: plain() };
    case 'lifecycle.completed':
      return { name, kind: 'seal', argument: 'completed', tail: around(withSlot(draft.data, 'usage')) };
    case 'lifecycle.failed':
      return { name, kind: 'seal', argument: 'failed', tail: plain() };
    case 'lifecycle.cancelled':
      return { name, kind: 'seal', argument: 'cancelled', tail: plain() };
    case 'lifecycle.started':
    case 'llm.stream':
    case 'llm.reasoning':
    case 'llm.tool_call':
    case 'system.topology':
    case 'system.warning':
    case 'system.error':
      return { name, kind: '', argument: '', tail: plain() };
  }
}

/** The JSON of a frame: what stands after `data: ` up to the end of the frame. */
export function frameData(frame: string): string {
  return frame.slice(frame.indexOf('\ndata: ') + 7, -2);
}
