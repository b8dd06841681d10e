import { createHash } from 'node:crypto';
import type { TraceContext } from '../../domain/trace-context.js';

/**
 * The id of a span of a run, computed from its subject: every process computes the same one, and a
 * span that is exported twice is recognised.
 * @param about `run`, or the dispatch, turn or call
 */
export const spanIdOf = (runId: string, about: string): string =>
  createHash('sha256').update(`${runId} ${about}`).digest('hex').slice(0, 16);

/**
 * The trace of a run: that of its caller, otherwise one whose id is the id of the run without its
 * dashes.
 */
export const traceIdOf = (runId: string, caller: TraceContext | undefined): string =>
  caller?.traceId ?? runId.replaceAll('-', '');
