import type { Repair } from '../domain/diagnosis/finding.js';
import type { RunEvent } from '../domain/events/event.js';
import { textOf, type JsonObject } from '../lib/json.js';
import type { RunSpec } from '../domain/run.js';
import type { LogReader } from './log-port.js';

/** Reads which changes agents asked for in a run that may repair, and how each ended. Contract section 11. */
export async function readRepairs(
  log: LogReader,
  runId: string,
  { repair }: Pick<RunSpec, 'repair'>,
  evidence?: ReadonlyMap<string, number>,
): Promise<Repair[]> {
  if (repair !== true) return [];
  const byId = evidence ?? (await log.evidence(runId));
  const events = await log.events(runId, [...byId.values()]);
  return events.flatMap((event) => repairIn(event as RunEvent<'llm.tool_result'>) ?? []);
}

function repairIn({ sequence, data }: RunEvent<'llm.tool_result'>): Repair | undefined {
  const { approval, tool, node, status } = data;
  if (!approval || node === undefined) return undefined;
  const result = data.result as JsonObject;
  const outcomes = {
    approve: status === 'ok' ? 'done' : 'failed',
    deny: 'refused',
    expired: 'expired',
  } as const;
  return {
    ...{ node, tool, outcome: outcomes[approval.decision], decided_by: approval.by },
    text: textOf(result, 'summary') || textOf(result, 'error') || status,
    evidence: [sequence],
  };
}
