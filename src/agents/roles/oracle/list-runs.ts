import { isFailure } from '../../../domain/diagnosis/finding.js';
import type { EventData, RunEvent } from '../../../domain/events/event.js';
import { LISTED } from '../../../domain/events/source-scores.js';
import { isTerminalStatus } from '../../../domain/run-status.js';
import type { Topology } from '../../../domain/topology/topology.js';
import type { LogPort, RunState } from '../../../event-log/log-port.js';
import type { IndexPlace, IndexRange, RunIndex } from '../../../event-log/run-index.js';
import type { OwnResult } from '../role-behaviour.js';
import { row, source, summaryOf, verdictOf } from './lookup-rows.js';

/** Maximum number of diagnoses that are searched for those with a status. */
const MOST_SCANNED = 5_000;
const READ_AT_ONCE = 50;

/** Which diagnoses are listed, and how many. */
export interface RunsWanted extends Omit<IndexRange, 'tenant' | 'diagnoses'> {
  status?: string | undefined;
  limit: number;
  /** Only those whose id begins with this; none is a source then. */
  idPrefix?: string | undefined;
  /** Includes the name of the first node with a finding in each; it is not a source then. */
  suspects?: boolean | undefined;
  /** Returns only how many there are among the first `MOST_SCANNED`. */
  count?: boolean | undefined;
}

/** A diagnosis that is listed. */
interface RunEntry {
  runId: string;
  state: RunState;
}

interface Store {
  log: LogPort;
  index: RunIndex;
  /** The topology of a run at its start; undefined if it is gone. */
  topologyOf(runId: string, state: RunState): Promise<Topology | undefined>;
}

/** Lists diagnoses of a tenant, in the order of the range. */
export async function listRuns(
  store: Store,
  tenant: string,
  { limit, suspects = false, count = false, ...wanted }: RunsWanted,
): Promise<OwnResult> {
  if (count) return countRuns(store, tenant, wanted);
  const listed: RunEntry[] = [];
  for await (const found of diagnosesIn(store, tenant, wanted)) {
    listed.push(...found.slice(0, limit - listed.length));
    if (listed.length === limit) break;
  }
  const rows = await Promise.all(
    listed.map(async ({ runId, state }) => {
      const terminal = await terminalOf(store.log, runId, state);
      const summary = terminal ? summaryOf(terminal) : null;
      const verdict = terminal ? verdictOf(terminal) : null;
      const suspect =
        suspects && terminal ? await suspectOf(store, { runId, state }, terminal) : null;
      return { ...row(runId, state), summary, verdict, ...(suspects && { suspect }) };
    }),
  );
  const sources = rows.map(({ summary }, i) => {
    const { runId, state } = listed[i] as RunEntry;
    return source('run', `runs/${runId}`, summary ?? state.status, LISTED);
  });
  const isLookUp = suspects || wanted.idPrefix !== undefined;
  return { result: { runs: rows }, sources: isLookUp ? [] : sources };
}

/** Counts diagnoses of a tenant without reading their results. */
async function countRuns(
  store: Store,
  tenant: string,
  wanted: Omit<RunsWanted, 'limit'>,
): Promise<OwnResult> {
  let count = 0;
  for await (const { length } of diagnosesIn(store, tenant, wanted)) count += length;
  return { result: { count }, sources: [] };
}

/** Reads the diagnoses of a range with a status, in batches. */
async function* diagnosesIn(
  store: Store,
  tenant: string,
  { status, idPrefix = '', ...range }: Omit<RunsWanted, 'limit'>,
): AsyncGenerator<RunEntry[]> {
  const wide = { tenant, ...range, diagnoses: true };
  let place: IndexPlace | undefined;
  for (let at = 0; at < MOST_SCANNED; at += READ_AT_ONCE) {
    const places = await store.index.page(wide, place, READ_AT_ONCE);
    place = places.at(-1);
    const meant = places.filter(({ runId }) => runId.startsWith(idPrefix));
    const found = await diagnosesAt(store, meant);
    yield found.filter(({ state }) => status === undefined || state.status === status);
    if (places.length < READ_AT_ONCE) return;
  }
}

async function diagnosesAt({ log }: Store, places: readonly IndexPlace[]): Promise<RunEntry[]> {
  const states = await Promise.all(places.map(({ runId }) => log.state(runId)));
  return places.flatMap(({ runId }, i) => {
    const state = states[i];
    return state?.head.kind === 'diagnosis' ? [{ runId, state }] : [];
  });
}

/** The last event of a run; undefined if it has not ended. */
export async function terminalOf(
  log: LogPort,
  runId: string,
  state: RunState,
): Promise<RunEvent | undefined> {
  if (!isTerminalStatus(state.status)) return undefined;
  return (await log.events(runId, [state.lastSequence]))[0];
}

/** The name of the node of the first root cause of a run, or else of its first finding. */
async function suspectOf(
  store: Store,
  { runId, state }: RunEntry,
  { data }: RunEvent,
): Promise<string | null> {
  const { report } = data as Partial<EventData['lifecycle.completed']>;
  const id = (report?.root_causes[0] ?? report?.findings.find(isFailure))?.node;
  if (id === undefined) return null;
  const nodes = (await store.topologyOf(runId, state))?.nodes;
  return nodes?.find((node) => node.id === id)?.name ?? null;
}
