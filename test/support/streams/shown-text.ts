import type { Format } from '../../../src/formats/registry.js';
import { framesOf, payloads } from './encode.js';

type Payload = Record<string, unknown>;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The text of each message or block that a client shows separately. */
const blocks = (frames: readonly Payload[], delta: string, id: string): string => {
  const byId = new Map<unknown, string>();
  for (const frame of frames)
    if (frame['type'] === delta && frame['subagentRunId'] === undefined)
      byId.set(frame[id], (byId.get(frame[id]) ?? '') + text(frame['delta']));
  return [...byId.values()].join('\n\n');
};

const joined = (frames: readonly Payload[], type: string, key: string): string =>
  frames.map((frame) => (frame['type'] === type ? text(frame[key]) : '')).join('');

const SHOWN = {
  oracle: (frames: readonly Payload[]) => joined(frames, 'content', 'content'),
  agent: (frames: readonly Payload[]) => joined(frames, 'text_delta', 'delta'),
  chat: (frames: readonly Payload[]) => joined(frames, 'content_delta', 'text'),
  'ag-ui': (frames: readonly Payload[]) => blocks(frames, 'TEXT_MESSAGE_CONTENT', 'messageId'),
  'ai-sdk': (frames: readonly Payload[]) => blocks(frames, 'text-delta', 'id'),
};

export const isChatFormat = (format: Format): format is keyof typeof SHOWN => format in SHOWN;

/**
 * The answer as a client of a format shows it: blocks of protocols that have blocks are paragraphs.
 */
export function shownText(format: keyof typeof SHOWN, stream: string): string {
  const kinds = framesOf(stream).map((frame) => /^event: (.*)$/m.exec(frame)?.[1]);
  return SHOWN[format](payloads(stream).map((data, i) => ({ type: kinds[i], ...data })));
}
