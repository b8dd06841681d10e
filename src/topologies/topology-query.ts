import { z } from 'zod';
import { integerText, pageLimit } from '../http/page-query.js';

/** `id` in a path. */
export const topologyIdSchema = integerText(
  1,
  Number.MAX_SAFE_INTEGER,
  `must be a positive integer, at most ${Number.MAX_SAFE_INTEGER}`,
);

/** An opaque cursor; its content may change. */
export const toCursor = (id: number): string => Buffer.from(`t${id}`).toString('base64url');

const CURSOR_MESSAGE = 'must be the nextCursor of a page';

const cursorSchema = z
  .string(CURSOR_MESSAGE)
  .transform((text) => Buffer.from(text.slice(0, 40), 'base64url').toString('latin1'))
  .pipe(z.string().regex(/^t[1-9]\d{0,15}$/, CURSOR_MESSAGE))
  .transform((text) => Number(text.slice(1)))
  .pipe(z.int(CURSOR_MESSAGE))
  .meta({ description: '`nextCursor` of the page before' });

/** Query of `GET /topologies/{id}`. */
export const showQuerySchema = z.object({
  version: integerText(1, Number.MAX_SAFE_INTEGER, 'must be a positive integer')
    .optional()
    .meta({ description: 'An earlier version, if it is still kept; default: the current one' }),
});

/** Query of `GET /topologies`. */
export const listQuerySchema = z.object({
  limit: pageLimit(200, 50),
  cursor: cursorSchema.optional(),
});
export type TopologyListQuery = z.infer<typeof listQuerySchema>;
