/**
 * The position of a client in a stream: it has every event up to `after`, and the first `parts`
 * frames of the next event. `parts` is 0 unless the stream was cut between two frames of one event.
 */
export interface Cursor {
  after: number;
  parts: number;
}

export const BEGINNING: Cursor = { after: 0, parts: 0 };

const FORM = /^(\d{1,16})(?:\.(\d{1,9}))?$/;

/**
 * Parses the `id` of a frame: `7` is after event 7, `7.2` between its second and third frame.
 * Undefined if invalid.
 */
export function parseCursor(id: unknown): Cursor | undefined {
  const [, sequence, part] = typeof id === 'string' ? (FORM.exec(id) ?? []) : [];
  const event = Number(sequence);
  const parts = Number(part ?? 0);
  if (!Number.isSafeInteger(event)) return undefined;
  if (part === undefined) return { after: event, parts: 0 };
  return event > 0 && parts > 0 ? { after: event - 1, parts } : undefined;
}

/** Returns the sequence of the last event that the client has, completely or in part. */
export const reaches = ({ after, parts }: Cursor): number => (parts > 0 ? after + 1 : after);

const PART = /^(?:event: [^\n]*\n)?id: (\d+)\.(\d+)\n/;

/**
 * Removes the frames that the client already has.
 * @param frames begin with the event after `after`
 */
export function skipParts(frames: string, { after, parts }: Cursor): string {
  let rest = frames;
  for (
    let known = PART.exec(rest);
    known && Number(known[1]) === after + 1 && Number(known[2]) <= parts;
    known = PART.exec(rest)
  )
    rest = rest.slice(rest.indexOf('\n\n') + 2);
  return rest;
}
