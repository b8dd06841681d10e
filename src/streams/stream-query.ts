import { ConsiliumError } from '../domain/errors.js';
import { BEGINNING, parseCursor, type Cursor } from '../formats/cursor.js';
import { FORMATS, formatOf, isFormat, type Format } from '../formats/registry.js';

/** An unknown format is refused, not ignored. @throws ConsiliumError VALIDATION_FAILED */
export function readFormat(format: unknown, standard: Format): Format {
  if (format === undefined) return standard;
  if (isFormat(format)) return format;
  const faults = [{ path: 'format', message: `must be one of ${FORMATS.join(', ')}` }];
  throw new ConsiliumError('VALIDATION_FAILED', 'The query is not valid', { faults });
}

/** @throws ConsiliumError VALIDATION_FAILED for a POST that would resume a run, and could only start a second one */
export function refuseBlindRetry(
  lastEventId: string | undefined,
  idempotencyKey: string | undefined,
): void {
  if (!lastEventId || idempotencyKey) return;
  const message =
    'resumes a run that exists: GET /api/service/v1/executions/{runId}/events, or this POST with its Idempotency-Key';
  const faults = [{ path: 'Last-Event-ID', message }];
  throw new ConsiliumError(
    'VALIDATION_FAILED',
    'This starts a new run; without a key it cannot resume one',
    { faults },
  );
}

/**
 * Where to go on: after the frame of this `Last-Event-ID`, else of `after`, else from the beginning.
 * @throws ConsiliumError INVALID_EVENT_ID where it is no id of a frame
 */
export function readCursor(
  format: Format,
  lastEventId: string | undefined,
  after: unknown,
): Cursor {
  const given = lastEventId !== undefined && lastEventId !== '' ? lastEventId : after;
  if (given === undefined) return BEGINNING;
  const cursor = parseCursor(given);
  if (cursor && (cursor.parts === 0 || formatOf(format).hasParts)) return cursor;
  throw new ConsiliumError('INVALID_EVENT_ID', 'The cursor must be the id of a frame, or 0');
}
