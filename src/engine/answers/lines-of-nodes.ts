import { describeObjects } from '../kubernetes/objects.js';
import { tellingLines, type TellingLine } from '../kubernetes/telling-lines.js';
import { nodesNamedInLine } from '../logs/named-in-line.js';
import type { Observations } from '../observations.js';
import type { ToolRecording } from '../../domain/telemetry/records.js';
import { judgeAnswers } from './judged-answers.js';

/** `-n shop` is a location, not the subject of a call. */
const NAMESPACE = /\s(?:-n|--namespace)[= ][\w.-]{1,63}/g;

/** The holder of a lock, in a list of sessions: `Session 4711 (app, orders/2.8) is idle …`. */
const HOLDER = /^Session \d+ \(([^)]{1,200})\)/;

/** A lock is held by the client whose session holds it, and not by the database. */
const holderIn = ({ kind, text }: TellingLine, nodes: Observations['nodes']): string | undefined =>
  kind === 'lock' ? nodesNamedInLine(HOLDER.exec(text)?.[1] ?? '', nodes)[0] : undefined;

type Recorded = Pick<Observations, 'nodes' | 'recordings' | 'kubernetesByNode'>;

/**
 * The statements of recorded answers and objects about each node, most specific first. A node has
 * the answers of calls that name it, and its own objects. If a call names no node, each line of its
 * answer belongs to the node that the line names, otherwise to the first node: a cluster. Objects
 * of all answers are compared with each other: a service with the pods of another answer.
 */
export function linesOfNodes(
  { nodes, recordings, kubernetesByNode }: Recorded,
  question: string,
): Map<string, TellingLine[]> {
  const named = ({ args: { namespace: _, ...args } }: ToolRecording) =>
    nodesNamedInLine(JSON.stringify(args).replace(NAMESPACE, ' '), nodes)[0];
  const judged = nodes.length > 1 ? judgeAnswers(recordings).judged : [];
  const owners = new Map(
    judged.map(({ name, text }) => [
      text,
      nodes.find(({ id }) => name === id || name.startsWith(`${id}-`))?.id,
    ]),
  );
  const found = new Map<string, TellingLine[]>(nodes.map(({ id }) => [id, []]));
  const add = (node: string | undefined, line: TellingLine) => {
    const own = found.get(owners.get(line.text) ?? holderIn(line, nodes) ?? node ?? '');
    if (own && !own.some(({ text }) => text === line.text)) own.push(line);
  };
  for (const { id } of nodes) {
    const own = recordings.filter((each) => named(each) === id);
    const objects = describeObjects(kubernetesByNode.get(id) ?? []);
    tellingLines([...own, ...objects], question).forEach((line) => add(id, line));
  }
  const shared = recordings.filter((each) => named(each) === undefined);
  for (const line of tellingLines(shared, question))
    add(nodesNamedInLine(line.line, nodes)[0] ?? nodes[0]?.id, line);
  for (const line of judged)
    if (owners.get(line.text) !== undefined) add(undefined, { ...line, line: line.text });
  for (const lines of found.values()) lines.sort((a, b) => b.weight - a.weight);
  return found;
}
