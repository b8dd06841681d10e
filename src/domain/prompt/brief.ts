import type { Role } from '../roles.js';
import type { JsonObject } from '../../lib/json.js';

/** A node as agents see it: without its endpoint. */
export interface NodeBrief {
  id: string;
  name: string;
  kind: string;
  dependsOn: string[];
}

/** A call worth making first. */
export interface FirstLook {
  tool: string;
  args: JsonObject;
}

/** A node of the oracle's conversation. */
interface OracleNode extends NodeBrief {
  firstLook: FirstLook[];
  /** A first look only shows that the node answers, not that it works. */
  reachedOnly?: true;
}

/**
 * What an agent is told about its place: one line of JSON in its instructions, the same for a
 * language model and for the built-in planner. No endpoints and no credentials.
 */
export type Brief =
  | {
      role: 'worker';
      node: NodeBrief & { attributes: JsonObject };
      /** The other nodes that its tools reach, for reading only. */
      reach?: string[];
      firstLook: FirstLook[];
      /**
       * Tools that are not called first, with the attributes of the node that they lack: a call
       * must give them.
       */
      lacks?: Record<string, string[]>;
    }
  | {
      role: 'team_supervisor';
      team: string;
      nodes: NodeBrief[];
      workers: { name: string; node: string; tools: string[] }[];
    }
  | {
      role: 'global_supervisor';
      nodes: NodeBrief[];
      teams: { name: string; nodes: string[]; tools: string[] }[];
      /** Calls over the whole system, before any team is dispatched. */
      firstLook: FirstLook[];
      /**
       * Calls that change a node, each after the approval of a person; only in a run that may
       * repair.
       */
      repairs?: FirstLook[];
    }
  | {
      role: 'oracle';
      /** Id of the diagnosis that the person looks at. */
      run?: string;
      topology: {
        id: number;
        name: string;
        nodes: OracleNode[];
      } | null;
      thinking: boolean;
      /** Tools that the person's role does not allow, each with the lowest role that does. */
      needsRole?: Record<string, Role>;
    };

const PLACE = 'Your place, as JSON:\n';

/**
 * Omits fields without information for a model: an empty first look, and that no reasoning is
 * wanted.
 */
function shownBrief(brief: Brief): object {
  if (brief.role === 'team_supervisor') return brief;
  if (brief.role !== 'oracle') return withoutEmptyLook(brief);
  const { topology, thinking, ...rest } = brief;
  const nodes = topology?.nodes.map(withoutEmptyLook);
  return {
    ...rest,
    topology: topology && { ...topology, nodes },
    ...(thinking && { thinking }),
  };
}

function withoutEmptyLook<T extends { firstLook: FirstLook[] }>(from: T): object {
  const { firstLook, ...rest } = from;
  return firstLook.length > 0 ? from : rest;
}

/** Reads the output of {@link shownBrief}. */
function readBrief(text: string): Brief {
  const brief = JSON.parse(text) as Brief;
  if (brief.role === 'team_supervisor') return brief;
  if (brief.role !== 'oracle') return Object.assign({ firstLook: [] }, brief);
  const { topology } = brief;
  const nodes = topology?.nodes.map((node) => Object.assign({ firstLook: [] }, node)) ?? [];
  return Object.assign({ thinking: false }, brief, {
    topology: topology && { ...topology, nodes },
  });
}

/**
 * The part of an agent's instructions that differs between agents: its place, then the operator's
 * additions.
 */
export const writeBrief = (brief: Brief, notes: string | undefined): string =>
  `${PLACE}${JSON.stringify(shownBrief(brief))}${notes?.trim() ? `\n\nNotes from the operators:\n${notes.trim()}` : ''}`;

/** Instructions in three parts: the text before the brief, the brief, and the text after it. */
export interface Instructions {
  before: string;
  brief: Brief;
  after: string;
}

/** @throws SyntaxError if the instructions have no brief, or it is not JSON */
export function readInstructions(system: string): Instructions {
  const mark = system.startsWith(PLACE) ? 0 : system.indexOf(`\n${PLACE}`) + 1;
  const from = mark + PLACE.length;
  if (!system.startsWith(PLACE, mark)) throw new SyntaxError('the instructions have no brief');
  const end = system.indexOf('\n', from);
  const to = end < 0 ? system.length : end;
  const brief = readBrief(system.slice(from, to));
  return { before: system.slice(0, from), brief, after: system.slice(to) };
}
