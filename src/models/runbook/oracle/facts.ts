import type { Report, ReportCitation } from '../../../domain/diagnosis/finding.js';
import { textOf, type JsonObject } from '../../../lib/json.js';
import type { ToolAnswer, Plan } from '../plan.js';

/** A topology in a list. */
export interface TopologyRow {
  id: number;
  name: string;
  nodes: number;
}

/** A topology that a text names. */
export interface NamedTopology extends TopologyRow {
  /** What the text names: the topology, its nodes, or words of its name. */
  named: string[];
}

/** A topology with its nodes. */
export interface Shape {
  id: number;
  name: string;
  nodes: { id: string; name: string; kind: string; dependsOn: string[] }[];
  /** Absent in answers of earlier versions. */
  teams?: { name: string; nodes: string[] }[];
}

/** A diagnosis in a list. */
export interface DiagnosisRow {
  run_id: string;
  status: string;
  topology_id: number;
  topology_name: string;
  created_at: string;
  ended_at: string | null;
  last_sequence: number;
  summary: string | null;
  /** Of its report; null if it has none. Absent in answers of earlier versions. */
  verdict?: string | null;
  /** The node of its first root cause or finding, if that was asked for. */
  suspect?: string | null;
}

/** A diagnosis. Its report is null until the run ends. */
export interface Run extends DiagnosisRow {
  report: Report | null;
  /** With which it was started. */
  user_message: string;
  /** Tokens of all model calls; absent until it has completed. */
  usage?: { input_tokens: number; output_tokens: number };
  /** Of the nodes that the question names. */
  measurements?: ReportCitation[];
  /** The changes that it waits with until a person approves them. */
  approvals?: { message: string; risk: string; expires_at: string }[];
}

/** Which diagnoses are listed; `since` and `until`: those that began in that time, as ISO 8601. */
export interface RowsWanted {
  topology_id?: number | undefined;
  status?: string | undefined;
  since?: string;
  until?: string;
  oldest_first?: true;
  /** Those whose id begins with this. */
  id_prefix?: string;
  limit: number;
  suspects?: true;
}

type Call = Plan['calls'][number];

export const call = (tool: string, args: JsonObject): Call => ({ tool, args });

/** Thrown if a fact is missing. Carries the calls that find it. */
export class LookUp extends Error {
  constructor(readonly calls: Call[]) {
    super('a fact is missing');
  }
}

/** Thrown if a question has no answer. Its message is shown to the person. */
export class NoAnswerError extends Error {}

/** Thrown if a question fits several topologies. */
export class SeveralFit extends NoAnswerError {
  constructor(
    message: string,
    readonly topologies: readonly TopologyRow[],
  ) {
    super(message);
  }
}

/** Maximum of calls in one turn. */
const MOST_CALLS = 20;
/** Characters of a question in which names are looked for, by the tools as well. */
const MOST_NAMING = 500;
/** Characters of a misspelt name. */
const MOST_SIMILAR = 60;
/** Nodes of which one call returns the measurements. */
const AT_ONCE = 5;
const RUN_TOOLS = new Set(['get_run', 'start_diagnosis', 'follow_diagnosis']);

/**
 * The results of the tools in this turn. Each method returns a fact, or throws `LookUp` with the
 * calls that find it. The plan is made again when those calls have returned.
 */
export class Facts {
  /**
   * @param about the question, if it may name nodes: runs are read with what is about these; empty:
   *   with everything
   */
  constructor(
    readonly answers: readonly ToolAnswer[],
    private readonly about = '',
  ) {}

  topologies(): TopologyRow[] {
    const found = this.answers.find(
      ({ tool, args, failed }) =>
        tool === 'list_topologies' && !failed && (isEmpty(args) || args['others'] === true),
    )?.output as { topologies: TopologyRow[] } | undefined;
    if (!found) throw new LookUp([call('list_topologies', {})]);
    return found.topologies;
  }

  /**
   * The topologies with a name that a text has as words, meant or not. Looks up the other
   * topologies as well.
   */
  naming(text: string): NamedTopology[] {
    const naming = text.slice(0, MOST_NAMING);
    const [found] = this.each<JsonObject, { topologies: (TopologyRow & Partial<NamedTopology>)[] }>(
      [{ naming, others: true }],
      'list_topologies',
      (args) => args,
    );
    return (found?.topologies ?? []).flatMap(({ named, ...each }) =>
      named === undefined ? [] : [{ ...each, named }],
    );
  }

  /** The names of topologies and nodes that a misspelt name is close to. */
  similar(name: string): string[] {
    const [found = []] = this.similarTo([name]);
    return [...new Set(found.flatMap(({ named }) => named.map(lower)))];
  }

  /** For each name the topologies with a name that it is close to, or with nodes of that kind. */
  similarTo(names: readonly string[]): NamedTopology[][] {
    return this.each<string, { topologies: NamedTopology[] }>(names, 'list_topologies', (name) => ({
      similar: name.slice(0, MOST_SIMILAR),
    })).map(({ topologies }) => topologies);
  }

  shapes(ids: readonly number[]): Shape[] {
    return this.each(ids.slice(0, MOST_CALLS), 'get_topology', (id) => ({ topology_id: id }));
  }

  shape(id: number): Shape {
    return this.shapes([id])[0] as Shape;
  }

  /** The latest diagnoses, newest first. */
  rows(args: RowsWanted): DiagnosisRow[] {
    return this.rowsOf([args])[0] as DiagnosisRow[];
  }

  /** How many diagnoses there are. */
  count(wanted: Omit<RowsWanted, 'limit' | 'oldest_first' | 'suspects'>): number {
    const defined = JSON.parse(JSON.stringify({ ...wanted, count: true })) as JsonObject;
    const [found] = this.each<JsonObject, { count: number }>(
      [defined],
      'list_runs',
      (args) => args,
    );
    return found?.count ?? 0;
  }

  /** As `rows`, for several queries at once. */
  rowsOf(all: readonly RowsWanted[]): DiagnosisRow[][] {
    const defined = all.map((args) => JSON.parse(JSON.stringify(args)) as JsonObject);
    return this.each<JsonObject, { runs: DiagnosisRow[] }>(
      defined,
      'list_runs',
      (args) => args,
    ).map(({ runs }) => runs);
  }

  /** Diagnoses that were already looked up, by id. */
  get known(): Map<string, Run> {
    const runs = this.answers.filter(
      ({ tool, failed, output }) =>
        !failed && RUN_TOOLS.has(tool) && 'report' in (output as JsonObject),
    );
    return new Map(
      runs.map(({ output }) => [textOf(output as JsonObject, 'run_id'), output as unknown as Run]),
    );
  }

  runs(ids: readonly string[]): Run[] {
    const { known } = this;
    const missing = ids.filter((id) => !known.has(id)).slice(0, MOST_CALLS);
    const about = this.about.slice(0, MOST_NAMING);
    if (missing.length > 0)
      throw new LookUp(
        missing.map((id) => call('get_run', { run_id: id, ...(about !== '' && { about }) })),
      );
    return ids.flatMap((id) => known.get(id) ?? []);
  }

  run(id: string): Run {
    return this.runs([id])[0] as Run;
  }

  /** What a diagnosis measured at nodes, by their ids. */
  measured(id: string, nodes: readonly string[]): ReportCitation[] {
    const parts = nodes
      .slice(0, MOST_CALLS * AT_ONCE)
      .flatMap((_, i) => (i % AT_ONCE === 0 ? [nodes.slice(i, i + AT_ONCE)] : []));
    const found = this.each<string, Run>(
      parts.map((part) => part.join(' , ')),
      'get_run',
      (about) => ({ run_id: id, about }),
    );
    return found.flatMap(({ measurements = [] }) => measurements);
  }

  /** The call that could not read a log: it may no longer be kept. */
  get failedLog(): ToolAnswer | undefined {
    return this.answers.find(({ tool, failed }) => failed && tool === 'read_log');
  }

  /** Excerpts of a log, in the order of the log. */
  log(requests: readonly JsonObject[]): { sequence: number; excerpt: string }[] {
    return this.each<JsonObject, { events: { sequence: number; excerpt: string }[] }>(
      requests,
      'read_log',
      (args) => args,
    )
      .flatMap(({ events }) => events)
      .sort((a, b) => a.sequence - b.sequence);
  }

  /** Returns the result of each call. All missing results are looked up at once. */
  private each<Key, Found>(
    keys: readonly Key[],
    tool: string,
    argsOf: (key: Key) => JsonObject,
  ): Found[] {
    const missing = keys.map(argsOf).filter((args) => this.outputs(tool, args).length === 0);
    if (missing.length > 0) throw new LookUp(missing.map((args) => call(tool, args)));
    return keys.map((key) => this.outputs(tool, argsOf(key))[0] as unknown as Found);
  }

  private outputs(tool: string, args: JsonObject): JsonObject[] {
    const wanted = keyOf(args);
    return this.answers
      .filter((one) => one.tool === tool && !one.failed && keyOf(one.args) === wanted)
      .map(({ output }) => output as JsonObject);
  }
}

/** Returns what each function finds. What they miss is looked up for all at once. */
export function allAtOnce<Found>(parts: readonly (() => Found)[]): Found[] {
  const missing: Call[] = [];
  const found = parts.flatMap((part) => {
    try {
      return [part()];
    } catch (error) {
      if (!(error instanceof LookUp)) throw error;
      missing.push(...error.calls);
      return [];
    }
  });
  if (missing.length > 0) throw new LookUp(missing.slice(0, MOST_CALLS));
  return found;
}

const isEmpty = (args: JsonObject): boolean => Object.keys(args).length === 0;

const lower = (text: string): string => text.toLowerCase();

const keyOf = (args: JsonObject): string =>
  JSON.stringify(Object.entries(args).sort(([a], [b]) => (a < b ? -1 : 1)));
