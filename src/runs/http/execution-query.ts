import { z } from 'zod';
import { RUN_STATUSES, type RunStatus } from '../../domain/run-status.js';
import type { IndexPlace } from '../../event-log/run-index.js';
import { integerText, pageLimit } from '../../http/page-query.js';

const ID_MESSAGE = 'must be a positive integer';

/** An opaque cursor; its content may change. */
export const toCursor = ({ createdAt, runId }: IndexPlace): string =>
  Buffer.from(`${createdAt}:${runId}`).toString('base64url');

function fromCursor(cursor: string): IndexPlace | undefined {
  const [, createdAt, runId] =
    /^(\d{1,16}):([0-9a-f-]{36})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  return createdAt && runId ? { createdAt: Number(createdAt), runId } : undefined;
}

const cursorSchema = z
  .string('must be the nextCursor of a page')
  .transform((text, context) => {
    const place = fromCursor(text);
    if (place) return place;
    context.addIssue({ code: 'custom', message: 'must be the nextCursor of a page' });
    return z.NEVER;
  })
  .meta({ description: '`nextCursor` of the page before' });

/** Query of `GET /executions`. */
export const listQuerySchema = z.object({
  topologyId: integerText(1, Number.MAX_SAFE_INTEGER, ID_MESSAGE).optional(),
  status: z
    .enum(RUN_STATUSES as [RunStatus], `must be one of ${RUN_STATUSES.join(', ')}`)
    .optional(),
  kind: z.enum(['diagnosis', 'chat'], 'must be "diagnosis" or "chat"').optional(),
  limit: pageLimit(200, 50),
  cursor: cursorSchema.optional(),
});
export type ListQuery = z.infer<typeof listQuerySchema>;

/** Query of a JSON page of a run's events. The cursor and the format are those of the stream. */
export const eventPageSchema = z.object({ limit: pageLimit(1_000, 100) });
