import type { Report } from '../../../domain/diagnosis/finding.js';
import { textOf, type JsonObject } from '../../../lib/json.js';
import type { Answer } from '../plan.js';

/** A topology in a list. */
export interface Listed {
  id: number;
  name: string;
  nodes: number;
}

/** A topology with its nodes. */
export interface Shape {
  id: number;
  name: string;
  nodes: { id: string; name: string; kind: string; dependsOn: string[] }[];
}

/** A diagnosis in a list. */
export interface Row {
  run_id: string;
  status: string;
  topology_id: number;
  topology_name: string;
  created_at: string;
  ended_at: string | null;
  last_sequence: number;
  summary: string | null;
}

/** A diagnosis with its report, where it has ended. */
export interface Run extends Row {
  report: Report | null;
}

/** What the tools of this turn have told so far. */
export interface Facts {
  topologies: Listed[] | undefined;
  shapes: Map<number, Shape>;
  /** By what was asked for: see `rowsKey`. */
  rows: Map<string, Row[]>;
  runs: Map<string, Run>;
  /** Excerpts of logs, in the order of the log; undefined: none was asked for. */
  log: { sequence: number; excerpt: string }[] | undefined;
}

/** A list of runs, by the topology that they are of (undefined: any), how many were wanted, and of which status. */
export const rowsKey = (topologyId: number | undefined, limit: number, status = 'any'): string =>
  `${topologyId ?? 'any'} ${limit} ${status}`;

const rowsOf = (args: JsonObject): string =>
  rowsKey(
    args['topology_id'] as number | undefined,
    Number(args['limit']),
    args['status'] as string | undefined,
  );

const RUN_TOOLS = new Set(['get_run', 'start_diagnosis', 'follow_diagnosis']);

export function factsOf(answers: readonly Answer[]): Facts {
  const facts: Facts = {
    topologies: undefined,
    shapes: new Map(),
    rows: new Map(),
    runs: new Map(),
    log: undefined,
  };
  for (const { tool, args, output, failed } of answers) {
    if (failed) continue;
    const told = output as JsonObject;
    if (tool === 'list_topologies') facts.topologies = told['topologies'] as unknown as Listed[];
    else if (tool === 'get_topology')
      facts.shapes.set(Number(told['id']), told as unknown as Shape);
    else if (tool === 'list_runs') facts.rows.set(rowsOf(args), told['runs'] as unknown as Row[]);
    else if (RUN_TOOLS.has(tool) && 'report' in told)
      facts.runs.set(textOf(told, 'run_id'), told as unknown as Run);
    else if (tool === 'read_log')
      facts.log = [
        ...(facts.log ?? []),
        ...(told['events'] as unknown as NonNullable<Facts['log']>),
      ];
  }
  facts.log?.sort((a, b) => a.sequence - b.sequence);
  return facts;
}
