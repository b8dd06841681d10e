import { z } from 'zod';
import { VERDICTS } from '../../domain/diagnosis/finding.js';
import { RUN_STATUSES } from '../../domain/run-status.js';
import type { IndexPlace } from '../../event-log/run-index.js';
import { integerText, pageLimit } from '../../http/page-query.js';

const ID_MESSAGE = 'must be a positive integer';

/** An opaque cursor; its content may change. */
export const toCursor = ({ createdAt, runId }: IndexPlace): string =>
  Buffer.from(`${createdAt}:${runId}`).toString('base64url');

export function fromCursor(cursor: string): IndexPlace | undefined {
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

/** One or more names: `a,b`, or the key repeated. */
function names<Name extends string>(allowed: readonly Name[]) {
  const message = `must be one of ${allowed.join(', ')}`;
  const isAllowed = (name: string): name is Name => (allowed as readonly string[]).includes(name);
  return z
    .union([z.string(), z.array(z.string())], message)
    .transform((given, context) => {
      const chosen = [given].flat().flatMap((text) => text.split(','));
      if (chosen.every(isAllowed)) return chosen;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .meta({ description: `One or more of ${allowed.join(', ')}, separated by commas` });
}

const TIME_MESSAGE = 'must be a time as in ISO 8601, such as 2026-11-22T18:00:00Z';
const time = (description: string) =>
  z.iso
    .datetime({ offset: true, error: TIME_MESSAGE })
    .transform((text) => Date.parse(text))
    .meta({ type: 'string', format: 'date-time', description });

const LONGEST_SEARCH = 200;

/** Query of `GET /executions`. */
export const listQuerySchema = z.object({
  topologyId: integerText(1, Number.MAX_SAFE_INTEGER, ID_MESSAGE).optional(),
  status: names(RUN_STATUSES).optional(),
  verdict: names(VERDICTS).optional(),
  kind: z.enum(['diagnosis', 'chat'], 'must be "diagnosis" or "chat"').optional(),
  since: time('Accepted at or after this').optional(),
  until: time('Accepted at or before this').optional(),
  q: z
    .string('must be a text')
    .max(LONGEST_SEARCH, `must have at most ${LONGEST_SEARCH} characters`)
    .meta({ description: 'A text in the id, question, topology, headline or error of a run' })
    .optional(),
  limit: pageLimit(200, 50),
  cursor: cursorSchema.optional(),
});
export type RunListQuery = z.infer<typeof listQuerySchema>;

/** Query of a JSON page of a run's events. The cursor and the format are those of the stream. */
export const eventPageSchema = z.object({
  limit: pageLimit(1_000, 100),
  before: integerText(1, Number.MAX_SAFE_INTEGER, ID_MESSAGE)
    .optional()
    .meta({ description: 'The last events before this sequence, instead of those after a cursor' }),
  dispatch: z
    .string('must be the id of one dispatch')
    .regex(/^[a-z0-9_]{1,100}$/, 'must be the id of a dispatch, such as d2_1')
    .optional(),
});
