import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { encodeFrame } from './encoder.js';
import { parseCursor, skipParts } from './cursor.js';
import { FORMATS, formatOf, type Format } from './registry.js';
import { anyRun } from '../../test/support/generators/any-run.js';
import { encodeEach, encodeLog, framesOf, idOf } from '../../test/support/streams/encode.js';
import { heard } from '../../test/support/streams/heard.js';
import { LOGS, RECORDED } from '../../test/support/streams/logs.js';

/**
 * Returns the frames for a client that reconnects with the id of its last frame, from a service
 * that only has the log.
 */
function resume(format: Format, log: readonly string[], id: string): string {
  const cursor = parseCursor(id);
  if (!cursor) throw new Error(`${id} is no cursor`);
  const { encoder } = formatOf(format);
  if (!encoder) return log.slice(cursor.after).join('');
  let { start: state } = encoder;
  for (const logged of log.slice(0, cursor.after))
    ({ state } = encodeFrame(encoder, state, logged));
  const rest = log.slice(cursor.after).map((logged) => {
    const encoded = encodeFrame(encoder, state, logged);
    state = encoded.state;
    return encoded.text;
  });
  return skipParts(rest.join(''), cursor);
}

/** The kinds of frames that appear only at the end. */
function endsOf(format: Format): string[] {
  const { sentinel, ends } = formatOf(format);
  return sentinel === undefined ? Object.values(ends) : [sentinel];
}
/** A run of AG-UI that is interrupted goes on in another one. */
function kindOf(data: string): string {
  if (data === '[DONE]') return data;
  const { type, outcome } = JSON.parse(data) as { type: string; outcome?: { type: string } };
  return outcome?.type === 'interrupt' ? 'interrupt' : type;
}

function expectResumable(format: Format, log: readonly string[]): void {
  const whole = encodeLog(format, log);
  let first = '';
  for (const frame of framesOf(whole)) {
    first += frame;
    expect(first + resume(format, log, idOf(frame))).toBe(whole);
  }
  // Sequences of events without a frame are cursors too: a client that read another format may send
  // one.
  const each = encodeEach(format, log);
  for (let after = 0; after <= log.length; after++)
    expect(resume(format, log, String(after))).toBe(each.slice(after).join(''));
}

describe.each(FORMATS)('format %s', (format) => {
  test.each(Object.keys(LOGS))('%s: goes on from every cursor with the same bytes', (name) =>
    expectResumable(format, LOGS[name] as string[]),
  );

  test('so does any log', () => {
    fc.assert(
      fc.property(anyRun, (log) => expectResumable(format, log)),
      { numRuns: 15 },
    );
  });

  test.each(Object.keys(RECORDED))('the recorded stream "%s" may be cut at every byte', (name) => {
    const log = RECORDED[name] as string[];
    const bytes = Buffer.from(encodeLog(format, log));
    const resumed = new Map<string, Buffer>();
    let boundary = 0;
    let id = '0';
    for (let cut = 0; cut <= bytes.length; cut++) {
      if (cut > 1 && bytes[cut - 1] === 10 && bytes[cut - 2] === 10) {
        id = idOf(bytes.subarray(boundary, cut).toString());
        boundary = cut;
      }
      // Every reader drops an incomplete frame.
      const rest = resumed.get(id) ?? Buffer.from(resume(format, log, id));
      resumed.set(id, rest);
      if (Buffer.compare(bytes.subarray(boundary), rest) !== 0)
        throw new Error(`cut at byte ${cut}, resumed after ${id}: not the rest`);
    }
    expect(boundary).toBe(bytes.length);
  });

  test('ids increase, and the last frame has the id of the last event', () => {
    for (const log of Object.values(LOGS)) {
      const ids = framesOf(encodeLog(format, log)).map(idOf);
      expect(ids.at(-1)).toBe(String(log.length));
      const places = ids.map((id) => id.split('.').map(Number) as [number, number?]);
      places.forEach(([sequence, part = Infinity], i) => {
        const [before, partBefore = Infinity] = places[i - 1] ?? [0];
        expect(sequence > before || (sequence === before && part > partBefore)).toBe(true);
      });
    }
  });

  test('every run has one end frame, which is last; every line ends in \\n', () => {
    fc.assert(
      fc.property(anyRun, (log) => {
        const text = encodeLog(format, log);
        expect(text).not.toContain('\r');
        expect(text.endsWith('\n\n')).toBe(true);
        const ends = heard(text).map(({ event, data }) =>
          endsOf(format).includes(event === 'message' ? kindOf(data) : event),
        );
        expect(ends.indexOf(true)).toBe(ends.length - 1);
      }),
      { numRuns: 20 },
    );
  });

  test('skips an event of a newer service', () => {
    const log = [...(LOGS['healthy'] as string[])];
    log[2] = (log[2] as string)
      .replace(/^event: .*/, 'event: llm.later')
      .replace(/"action":"[a-z_]+"/, '"action":"later"');
    expect(framesOf(encodeLog(format, log)).map(idOf).at(-1)).toBe(String(log.length));
  });
});
