import { Injectable } from '@nestjs/common';
import { isShownTo } from '../../domain/run.js';
import { tenantOf } from '../../domain/tenant.js';
import type { IndexPlace } from '../../event-log/run-index.js';
import { RunIndex } from '../../event-log/run-index.js';
import { LogPort } from '../../event-log/log-port.js';
import { toCursor, type RunListQuery } from './execution-query.js';
import { cardOfRun } from './run-card.js';
import { RunDigests } from './run-digests.js';
import type { RunCard } from './run-views.js';

/** Maximum runs that a filtered list reads before it returns a cursor to continue. */
const MOST_SCANNED = 2_000;
/** Runs that are read at once. */
const SLICE = 100;

/** Lists runs. Contract section 3. */
@Injectable()
export class ExecutionList {
  constructor(
    private readonly log: LogPort,
    private readonly index: RunIndex,
    private readonly digests: RunDigests,
  ) {}

  /**
   * A page, newest first. `nextCursor` is null if no matching run follows; a page may be short, or
   * empty, and have one.
   * @param caller whose chats are listed, and the diagnoses of its tenant
   */
  async page(
    query: RunListQuery,
    caller: string,
  ): Promise<{ items: RunCard[]; nextCursor: string | null }> {
    const { limit } = query;
    const items: RunCard[] = [];
    let last: IndexPlace | undefined;
    let place = query.cursor;
    const size = Math.min(SLICE, limit + 1);
    for (let scanned = 0; scanned < MOST_SCANNED; scanned += size) {
      const slice = await this.index.page({ ...query, tenant: tenantOf(caller) }, place, size);
      const cards = await Promise.all(slice.map(({ runId }) => this.card(runId, caller, query)));
      for (const [i, card] of cards.entries()) {
        if (!card) continue;
        if (items.length === limit) return { items, nextCursor: last ? toCursor(last) : null };
        items.push(card);
        last = slice[i];
      }
      if (slice.length < size) return { items, nextCursor: null };
      place = slice.at(-1);
    }
    return { items, nextCursor: place ? toCursor(place) : null };
  }

  /** Undefined for a run that is gone, that the caller may not see, or that does not match. */
  async card(
    runId: string,
    caller: string,
    query: Pick<RunListQuery, 'status' | 'kind' | 'verdict' | 'q'> = {},
  ): Promise<RunCard | undefined> {
    const state = await this.log.state(runId);
    if (!state || !isShownTo(caller, state.head)) return undefined;
    if (query.status && !query.status.includes(state.status)) return undefined;
    if (query.kind && state.head.kind !== query.kind) return undefined;
    const card = cardOfRun(runId, state, await this.digests.of(runId, state));
    if (query.verdict && !(card.verdict && query.verdict.includes(card.verdict))) return undefined;
    return query.q === undefined || textOf(card).includes(query.q.toLowerCase()) ? card : undefined;
  }
}

/** The fields that `q` searches. */
const textOf = ({ runId, userMessage, topologyName, headline, error }: RunCard): string =>
  [runId, userMessage, topologyName, headline, error?.code, error?.message]
    .join('\n')
    .toLowerCase();
