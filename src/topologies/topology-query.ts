import { ConsiliumError, type Fault } from '../domain/errors.js';

const MOST = 200;
const DEFAULT = 50;

/** @throws ConsiliumError VALIDATION_FAILED with path `id` */
export function parseTopologyId(text: string): number {
  const id = toId(text);
  if (id !== undefined) return id;
  throw new ConsiliumError('VALIDATION_FAILED', 'The id of a topology is a positive integer', {
    faults: [
      { path: 'id', message: `must be a positive integer, at most ${Number.MAX_SAFE_INTEGER}` },
    ],
  });
}

/** The query of a list: `limit` 1..200, opaque `cursor`. @throws ConsiliumError VALIDATION_FAILED */
export function parseListQuery({ limit, cursor }: Readonly<Record<string, unknown>>): {
  limit: number;
  after: number;
} {
  const faults: Fault[] = [];
  const size = limit === undefined ? DEFAULT : (toId(limit) ?? 0);
  if (size < 1 || size > MOST)
    faults.push({ path: 'limit', message: `must be an integer from 1 to ${MOST}` });
  const after = cursor === undefined ? 0 : fromCursor(cursor);
  if (after === undefined)
    faults.push({ path: 'cursor', message: 'must be the nextCursor of a page' });
  if (faults.length > 0 || after === undefined)
    throw new ConsiliumError('VALIDATION_FAILED', 'The query is not valid', { faults });
  return { limit: size, after };
}

/** Opaque to clients; what it holds may change. */
export const toCursor = (id: number): string => Buffer.from(`t${id}`).toString('base64url');

function fromCursor(cursor: unknown): number | undefined {
  if (typeof cursor !== 'string' || cursor.length > 40) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  return text.startsWith('t') ? toId(text.slice(1)) : undefined;
}

function toId(text: unknown): number | undefined {
  return typeof text === 'string' &&
    /^[1-9]\d{0,15}$/.test(text) &&
    Number.isSafeInteger(Number(text))
    ? Number(text)
    : undefined;
}
