import { encodeFrame } from '../../../src/formats/encoder.js';
import { formatOf, type Format } from '../../../src/formats/registry.js';

/** The frames of a log, each with its terminating empty line. */
export const framesOf = (text: string): string[] =>
  text.split(/(?<=\n\n)/).filter((frame) => frame !== '' && !/^(:|retry:)/.test(frame));

/** Encodes a log in a format. @returns the frames of each event */
export function encodeEach(format: Format, log: readonly string[]): string[] {
  const { encoder } = formatOf(format);
  if (!encoder) return [...log];
  let state = encoder.start;
  return log.map((logged) => {
    const encoded = encodeFrame(encoder, state, logged);
    state = encoded.state;
    return encoded.text;
  });
}

export const encodeLog = (format: Format, log: readonly string[]): string =>
  encodeEach(format, log).join('');

/** The `id` of a frame. */
export const idOf = (frame: string): string => /^id: (.*)$/m.exec(frame)?.[1] ?? '';

/** The parsed `data` line of each frame; `[DONE]` is kept as text. */
export const payloads = (text: string): Record<string, unknown>[] =>
  framesOf(text).map((frame) => {
    const data = /^data: (.*)$/m.exec(frame)?.[1] ?? '';
    return data === '[DONE]' ? { type: data } : (JSON.parse(data) as Record<string, unknown>);
  });
