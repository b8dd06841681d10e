import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ConsiliumError } from '../../domain/errors.js';
import { compareReports } from '../../domain/diagnosis/compare-reports.js';
import { NODE_STATES, type Report } from '../../domain/diagnosis/finding.js';
import type { EventData } from '../../domain/events/event.js';
import { isTerminalStatus } from '../../domain/run-status.js';
import { LogPort } from '../../event-log/log-port.js';
import { invalid } from '../../http/parse.js';
import { fromCursor, type RunListQuery } from './execution-query.js';
import { ExecutionList } from './execution-list.js';
import { ExecutionsService } from './executions.service.js';
import { runCard, type RunCard } from './run-views.js';

/**
 * Replaces the id of the earlier run: the last healthy one of the topology before the later one.
 */
const HEALTHY = 'last-healthy';
/** Maximum pages of healthy runs that are searched for one before the other run. */
const MOST_PAGES = 10;

export const comparisonQuery = z.object({
  a: z
    .string()
    .max(100)
    .default(HEALTHY)
    .meta({ description: `The earlier run, or \`${HEALTHY}\`` }),
  b: z.string('must be the id of a run').max(100).meta({ description: 'The later run' }),
});
export type ComparisonQuery = z.infer<typeof comparisonQuery>;

const claims = z.array(
  z.object({
    node: z.string(),
    title: z.string(),
    severity: z.enum(['critical', 'warning', 'info']).optional(),
    origin: z.enum(['measured', 'agent']).optional(),
    notCheckedBefore: z
      .literal(true)
      .optional()
      .meta({ description: 'The earlier run did not check the node' }),
  }),
);
const claimChanges = z.object({
  appeared: claims,
  gone: claims.meta({ description: 'The later run checked the node, and did not find it' }),
  notChecked: claims.meta({ description: 'The later run did not check the node' }),
});
const state = z.enum(NODE_STATES).nullable();

export const comparison = z.object({
  a: runCard,
  b: runCard,
  changed: z.boolean(),
  verdict: z.object({ before: z.string(), after: z.string() }),
  rootCauses: claimChanges,
  findings: claimChanges,
  nodes: z.array(z.object({ node: z.string(), before: state, after: state })),
  summary: z.array(z.string()),
});

/** Compares two diagnoses of a topology. */
@Injectable()
export class ExecutionComparison {
  constructor(
    private readonly log: LogPort,
    private readonly executions: ExecutionsService,
    private readonly runs: ExecutionList,
  ) {}

  /**
   * @throws ConsiliumError RUN_NOT_FOUND, NOT_FOUND without a healthy run, VALIDATION_FAILED of
   *   runs that cannot be compared
   */
  async compare({ a, b }: ComparisonQuery, caller: string): Promise<z.infer<typeof comparison>> {
    const after = await this.side(b, 'b', caller);
    const earlier = a === HEALTHY ? await this.lastHealthy(after.card, caller) : a;
    const before = await this.side(earlier, 'a', caller);
    if (before.card.topologyId !== after.card.topologyId)
      throw invalid([{ path: 'a', message: 'must be a run of the same topology as b' }]);
    const changes = compareReports(before.report, after.report);
    const from = before.card.topologyVersion;
    const to = after.card.topologyVersion;
    const edited =
      from === to ? [] : [`The topology was changed: version ${from} became version ${to}.`];
    return {
      a: before.card,
      b: after.card,
      ...changes,
      changed: changes.changed || edited.length > 0,
      summary: [...edited, ...changes.summary],
    };
  }

  private async side(
    runId: string,
    path: string,
    caller: string,
  ): Promise<{ card: RunCard; report: Report }> {
    const state = await this.executions.state(runId, caller);
    const card = await this.runs.card(runId, caller);
    const ended = isTerminalStatus(state.status);
    const [terminal] = ended ? await this.log.events(runId, [state.lastSequence]) : [];
    const { report } = (terminal?.data ?? {}) as Partial<EventData['lifecycle.completed']>;
    if (card && report) return { card, report };
    throw invalid([{ path, message: 'must be a diagnosis that has ended with a report' }]);
  }

  private async lastHealthy(
    { topologyId, createdAt, runId }: RunCard,
    caller: string,
  ): Promise<string> {
    const until = Date.parse(createdAt ?? '');
    let cursor: RunListQuery['cursor'];
    if (topologyId !== null)
      for (let page = 0; page < MOST_PAGES; page++) {
        const query = { topologyId, verdict: ['healthy' as const], until, limit: 2, cursor };
        const { items, nextCursor } = await this.runs.page(query, caller);
        const found = items.find((each) => each.runId !== runId);
        if (found) return found.runId;
        if (nextCursor === null) break;
        cursor = fromCursor(nextCursor);
      }
    throw new ConsiliumError('NOT_FOUND', 'There is no healthy run of the topology before b');
  }
}
