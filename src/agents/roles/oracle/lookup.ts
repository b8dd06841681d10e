import { Injectable } from '@nestjs/common';
import type { EventData, NamedEvent, RunEvent } from '../../../domain/events/event.js';
import type { Json, JsonObject } from '../../../lib/json.js';
import { frameData } from '../../../domain/events/frame.js';
import { LISTED, OVERVIEW } from '../../../domain/events/source-scores.js';
import type { Topology, TopologyNode } from '../../../domain/topology/topology.js';
import { hideNames } from '../../../domain/topology/names-in-text.js';
import { isTerminalStatus } from '../../../domain/run-status.js';
import { isShownTo } from '../../../domain/run.js';
import { tenantOf } from '../../../domain/tenant.js';
import { clip } from '../../../lib/text.js';
import { LogPort, type RunState } from '../../../event-log/log-port.js';
import { readApprovals } from '../../../event-log/read-approvals.js';
import { readShownTopology } from '../../../event-log/read-shown-topology.js';
import { RunIndex } from '../../../event-log/run-index.js';
import type { StoredTopology } from '../../../topologies/stored-topology.js';
import { TopologyStore } from '../../../topologies/topology-store.js';
import { briefNodes } from '../brief-nodes.js';
import type { OwnResult } from '../role-behaviour.js';
import {
  citedSources,
  firstOfEach,
  measurementSources,
  measurementsOf,
  subjectOf,
  type NamedNodes,
} from './about-nodes.js';
import { excerptOf } from './excerpt.js';
import { listRuns, terminalOf, type RunsWanted } from './list-runs.js';
import { listTopologies, type TopologiesWanted } from './list-topologies.js';
import { eventSource, row, source, summaryOf } from './lookup-rows.js';

/** Maximum characters of a text in which names are searched. */
const MOST_NAMING = 500;
/** Maximum number of events that are read to find those to return. */
const PAGE = 500;
const HOUR_MS = 60 * 60 * 1_000;
/** Age from which a diagnosis is reported as old. */
const OLD_HOURS = 24;

/**
 * Returns what the oracle may look up for an asker, the owner of its chat: topologies, diagnoses,
 * their reports and excerpts of their logs, only of the asker's tenant. Chats are not included.
 * Contract section 10.
 */
@Injectable()
export class Lookup {
  constructor(
    private readonly log: LogPort,
    private readonly index: RunIndex,
    private readonly store: TopologyStore,
  ) {}

  async topologies(asker: string, wanted: TopologiesWanted = {}): Promise<OwnResult> {
    const { topologies, more } = await listTopologies(this.store.of(tenantOf(asker)), wanted);
    const isAll = wanted.naming === undefined && wanted.similar === undefined;
    const names = topologies.map(({ name }) => name).join(', ');
    return {
      result: { topologies: topologies as unknown as Json, more },
      // Whether a text contains a name is not a fact that an answer could cite.
      sources: isAll && names !== '' ? [source('topology', 'topologies', names, OVERVIEW)] : [],
    };
  }

  /**
   * Removes the names of topologies and nodes from a text, so that their words are not interpreted.
   */
  async withoutNames(asker: string, text: string): Promise<string> {
    const plain = text.toLowerCase();
    const wanted = { naming: plain.slice(0, MOST_NAMING) };
    const { topologies } = await listTopologies(this.store.of(tenantOf(asker)), wanted);
    return hideNames(
      plain,
      topologies.map(({ name, named = [] }) => ({ name, named })),
    );
  }

  /** Without endpoints: they may hold credentials. */
  async topology(asker: string, id: number): Promise<OwnResult> {
    const { topology, version } = await this.stored(asker, id);
    const teams = topology.teams.map(({ name, nodes }) => ({ name, nodes }));
    const nodes = briefNodes(topology) as unknown as Json;
    return {
      result: {
        id,
        name: topology.name,
        description: topology.description ?? null,
        version,
        nodes,
        teams,
      },
      // An answer usually needs it for the names in a report, which is read as well.
      sources: [source('topology', `topologies/${id}`, topology.name, LISTED)],
    };
  }

  /** Diagnoses, newest first. */
  runs(asker: string, wanted: RunsWanted): Promise<OwnResult> {
    const { log, index } = this;
    const topologyOf = this.topologyOf.bind(this);
    return listRuns({ log, index, topologyOf }, tenantOf(asker), wanted);
  }

  /**
   * A diagnosis with its report; each piece of evidence is a source.
   * @param about a text: the nodes that it names get their measurements, and only what concerns
   *   them is a source
   */
  async run(asker: string, runId: string, about = ''): Promise<OwnResult> {
    const state = await this.diagnosis(asker, runId);
    const terminal = await terminalOf(this.log, runId, state);
    const data = (terminal?.data ?? {}) as Partial<
      EventData['lifecycle.completed'] & EventData['lifecycle.failed']
    >;
    const report = data.report ?? null;
    const subject = about === '' ? undefined : await this.subject(runId, state, about);
    const measured = subject ? await measurementsOf(this.log, runId, subject, report) : [];
    const cited = [
      ...measurementSources(runId, measured, report),
      ...citedSources(runId, report, subject),
    ];
    const ended = terminal
      ? [eventSource(terminal, summaryOf(terminal))]
      : [source('run', `runs/${runId}`, state.status)];
    return {
      result: {
        ...row(runId, state),
        summary: terminal ? summaryOf(terminal) : null,
        report: report as unknown as Json,
        ...(data.usage && { usage: data.usage as unknown as Json }),
        ...(measured.length > 0 && { measurements: measured as unknown as Json }),
        ...(await this.openApprovals(runId, state)),
      },
      sources: firstOfEach([...ended, ...cited]).slice(0, 20),
      ...(await this.staleness(runId, state)),
    };
  }

  /**
   * Finds the nodes of runs with their endpoints; none if a topology was deleted. Each version of a
   * topology is read once.
   */
  nodesOfRuns(asker: string): (runId: string) => Promise<readonly TopologyNode[]> {
    const store = this.store.of(tenantOf(asker));
    const read = new Map<string, Promise<readonly TopologyNode[]>>();
    return async (runId) => {
      const { topologyId, topologyVersion } = (await this.diagnosis(asker, runId)).head;
      const key = `${topologyId} ${topologyVersion}`;
      const nodes =
        read.get(key) ??
        store.version(topologyId, topologyVersion).then((stored) => stored?.topology.nodes ?? []);
      read.set(key, nodes);
      return nodes;
    };
  }

  /** The nodes of a run that a text names; undefined if it names none. */
  private async subject(
    runId: string,
    state: RunState,
    about: string,
  ): Promise<NamedNodes | undefined> {
    const topology = await this.topologyOf(runId, state);
    return topology && subjectOf(topology, about);
  }

  private async topologyOf(runId: string, { head }: RunState): Promise<Topology | undefined> {
    return (
      (await readShownTopology(this.log, runId)) ??
      (await this.store.of(tenantOf(head.owner)).get(head.topologyId))?.topology
    );
  }

  /** The changes that a run proposes and waits for. Contract section 11. */
  async openApprovals(runId: string, { status }: RunState): Promise<{ approvals?: JsonObject[] }> {
    if (isTerminalStatus(status)) return {};
    const asked = await readApprovals(this.log, runId);
    const approvals = asked
      .filter(({ decision }) => !decision)
      .map(({ approval }) => {
        const { approval_id, tool, node, message, risk, expires_at } = approval.data;
        return { approval_id, tool, node, message, risk, expires_at };
      });
    return approvals.length > 0 ? { approvals } : {};
  }

  /**
   * An old diagnosis, or one of a topology that has changed since, may not describe the present
   * state.
   */
  private async staleness(
    runId: string,
    { head, endedAt }: RunState,
  ): Promise<Pick<OwnResult, 'stale'>> {
    const version = (await this.store.of(tenantOf(head.owner)).get(head.topologyId))?.version;
    const hours = endedAt === null ? 0 : Math.floor((this.index.now() - endedAt) / HOUR_MS);
    const changed =
      version === undefined
        ? 'belongs to a topology that no longer exists'
        : `used version ${head.topologyVersion} of its topology; the current version is ${version}`;
    const whys = [
      ...(hours >= OLD_HOURS ? [`ended ${hours} hours ago`] : []),
      ...(version === head.topologyVersion ? [] : [changed]),
    ];
    return whys.length > 0
      ? { stale: { path: `runs/${runId}`, message: whys.join(', and ') } }
      : {};
  }

  /** Excerpts of a log after a sequence, those that have a text. */
  async events(
    asker: string,
    runId: string,
    { after, limit, text }: { after: number; limit: number; text: string | undefined },
  ): Promise<OwnResult> {
    const state = await this.diagnosis(asker, runId);
    const { frames } = await this.log.read(runId, after, PAGE);
    const found: { event: RunEvent; excerpt: string }[] = [];
    let last = after;
    for (const frame of frames) {
      if (found.length === limit) break;
      const event = JSON.parse(frameData(frame.toString())) as RunEvent;
      last = event.sequence;
      const name = `${event.event.category}.${event.event.action}`;
      if (
        name !== 'system.topology' &&
        (text === undefined ||
          JSON.stringify(event.data).toLowerCase().includes(text.toLowerCase()))
      )
        found.push({ event, excerpt: excerptOf({ ...event, name } as NamedEvent) });
    }
    return {
      result: {
        run_id: runId,
        events: found.map(({ event, excerpt }) => ({
          sequence: event.sequence,
          timestamp: event.timestamp,
          excerpt,
        })),
        next_after: last < state.lastSequence ? last : null,
      },
      sources: found.map(({ event, excerpt }) => eventSource(event, excerpt)),
    };
  }

  private async stored(asker: string, id: number): Promise<StoredTopology> {
    const stored = await this.store.of(tenantOf(asker)).get(id);
    if (!stored) throw new Error(`There is no topology ${id}.`);
    return stored;
  }

  /** @throws Error if there is none that the caller may see */
  async diagnosis(asker: string, runId: string): Promise<RunState> {
    const state = /^[0-9a-f-]{36}$/.test(runId) ? await this.log.state(runId) : undefined;
    if (state?.head.kind !== 'diagnosis' || !isShownTo(asker, state.head))
      throw new Error(`There is no diagnosis ${clip(runId, 50)}.`);
    return state;
  }
}
