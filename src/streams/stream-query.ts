import { ConsiliumError } from '../domain/errors.js';
import { BEGINNING, parseCursor, type Cursor } from '../formats/cursor.js';
import { FORMATS, formatOf, isFormat, type Format } from '../formats/registry.js';

/** Parses the format of a query. @throws ConsiliumError VALIDATION_FAILED for an unknown one */
export function readFormat(format: unknown, standard: Format): Format {
  if (format === undefined) return standard;
  if (isFormat(format)) return format;
  const faults = [{ path: 'format', message: `must be one of ${FORMATS.join(', ')}` }];
  throw new ConsiliumError('VALIDATION_FAILED', 'The query is not valid', { faults });
}

/**
 * Rejects a POST with a cursor but without an Idempotency-Key: it would start a second run.
 * @throws ConsiliumError VALIDATION_FAILED
 */
export function refuseBlindRetry(
  lastEventId: string | undefined,
  idempotencyKey: string | undefined,
): void {
  if (!lastEventId || idempotencyKey) return;
  const message =
    'cannot be used to start a run. To resume one, use GET /api/service/v1/executions/{runId}/events, or this POST with its Idempotency-Key';
  const faults = [{ path: 'Last-Event-ID', message }];
  throw new ConsiliumError(
    'VALIDATION_FAILED',
    'This request starts a new run and cannot resume one without an Idempotency-Key',
    { faults },
  );
}

/**
 * Reads the cursor: the frame of `Last-Event-ID`, otherwise `after`, otherwise the beginning.
 * @throws ConsiliumError INVALID_EVENT_ID if it is not the id of a frame
 */
export function readCursor(
  format: Format,
  lastEventId: string | undefined,
  after: unknown,
): Cursor {
  const hasHeader = lastEventId !== undefined && lastEventId !== '';
  const given = hasHeader ? lastEventId : after;
  if (given === undefined) return BEGINNING;
  const cursor = parseCursor(given);
  if (cursor && (cursor.parts === 0 || formatOf(format).hasParts)) return cursor;
  throw new ConsiliumError(
    'INVALID_EVENT_ID',
    `${hasHeader ? 'Last-Event-ID' : 'after'} must be the id of an event of this run, or 0`,
  );
}
