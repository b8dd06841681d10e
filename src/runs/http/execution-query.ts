import { ConsiliumError, type Fault } from '../../domain/errors.js';
import { RUN_STATUSES, type RunStatus } from '../../domain/run.js';
import type { IndexPlace } from '../../event-log/run-index.js';

type Query = Record<string, unknown>;

const invalid = (faults: Fault[]) =>
  new ConsiliumError('VALIDATION_FAILED', 'The query is not valid', { faults });
const whole = (text: unknown): number | undefined =>
  typeof text === 'string' && /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))
    ? Number(text)
    : undefined;

/** `limit` of a page. */
function readLimit(query: Query, standard: number, most: number, faults: Fault[]): number {
  if (query['limit'] === undefined) return standard;
  const limit = whole(query['limit']);
  if (limit !== undefined && limit >= 1 && limit <= most) return limit;
  faults.push({ path: 'limit', message: `must be an integer from 1 to ${most}` });
  return standard;
}

/** @throws ConsiliumError VALIDATION_FAILED */
export function readPageLimit(query: Query): number {
  const faults: Fault[] = [];
  const limit = readLimit(query, 100, 1_000, faults);
  if (faults.length > 0) throw invalid(faults);
  return limit;
}

export interface ListQuery {
  topologyId: number | undefined;
  status: RunStatus | undefined;
  kind: 'diagnosis' | 'chat' | undefined;
  limit: number;
  after: IndexPlace | undefined;
}

/** @throws ConsiliumError VALIDATION_FAILED with every fault */
export function readListQuery(query: Query): ListQuery {
  const faults: Fault[] = [];
  const { topologyId, status, kind, cursor } = query;
  const id = whole(topologyId);
  if (topologyId !== undefined && (id === undefined || id < 1))
    faults.push({ path: 'topologyId', message: 'must be a positive integer' });
  if (status !== undefined && !RUN_STATUSES.includes(status as RunStatus))
    faults.push({ path: 'status', message: `must be one of ${RUN_STATUSES.join(', ')}` });
  if (kind !== undefined && kind !== 'diagnosis' && kind !== 'chat')
    faults.push({ path: 'kind', message: 'must be "diagnosis" or "chat"' });
  const limit = readLimit(query, 50, 200, faults);
  const after = cursor === undefined ? undefined : fromCursor(cursor);
  if (cursor !== undefined && !after)
    faults.push({ path: 'cursor', message: 'must be the nextCursor of a page' });
  if (faults.length > 0) throw invalid(faults);
  return {
    topologyId: id,
    status: status as RunStatus | undefined,
    kind: kind as ListQuery['kind'],
    limit,
    after,
  };
}

/** Opaque to clients; what it holds may change. */
export const toCursor = ({ createdAt, runId }: IndexPlace): string =>
  Buffer.from(`${createdAt}:${runId}`).toString('base64url');

function fromCursor(cursor: unknown): IndexPlace | undefined {
  if (typeof cursor !== 'string') return undefined;
  const [, createdAt, runId] =
    /^(\d{1,16}):([0-9a-f-]{36})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  return createdAt && runId ? { createdAt: Number(createdAt), runId } : undefined;
}
