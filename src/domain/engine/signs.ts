import type { FailureKind } from '../diagnosis/failure-kind.js';
import { eventTime } from '../kubernetes/event-time.js';
import { nodesNamedIn } from './alert-subject.js';
import { describeObjects } from './kubernetes/objects.js';
import { tellingLines } from './kubernetes/telling-lines.js';
import type { MovedSeries, Observations, Trouble } from './observations.js';
import type { KubernetesObject } from './records.js';
import { meaningOf } from './series/meaning-of-metric.js';
import { kindOfText } from './logs/kind-of-text.js';

/** Something that a node shows, or that another one says of it. */
export interface Sign {
  node: string;
  at?: number;
  says: string;
  /** How much it speaks for the node having failed, 0 to 1.5. */
  weight: number;
  from: 'metric' | 'log' | 'kubernetes' | 'span' | 'caller';
  /** The failure that it shows, and how much it tells of it, 0 to 1. */
  kind?: FailureKind;
  tells: number;
  /** Callers of a node that fails show the same. */
  spreads: boolean;
}

/** Characters of an error in which nodes are looked for. */
const LOOKED_AT = 4_000;
const ABOUT_OTHERS =
  /upstream|downstream (call|dependency)|from upstream|answered 5\d\d|\b50[234]\b/i;
/** Faults that the speaker has, though it names the node that it speaks with: what it sends or expects is wrong. */
const OF_SPEAKER: ReadonlySet<FailureKind> = new Set([
  'auth',
  'schema-mismatch',
  'config',
  'bad-data',
  'retry-storm',
]);

export const clock = (at: number): string => new Date(at).toISOString().slice(11, 19);

/** All that nodes show, and what they say of each other. */
export function signsOf(seen: Observations, trouble: Trouble): Sign[] {
  return [
    ...strongestOfEach(trouble.moved.flatMap((each) => signOfSeries(trouble.reportedAt, each))),
    ...signsInLogs(seen, trouble),
    ...signsInObjects(seen, trouble),
    ...signsInSpans(seen, trouble),
  ];
}

/** Memory that grows steadily for so long is not given back: it leaks, even if the kernel ends the process in the end. */
const LEAK_MS = 30 * 60_000;

/** How many requests a node gets is its callers' doing. */
const LOAD = 0.5;

/** A series that moved for the better shows no fault. */
function signOfSeries(until: number, { node, name, onset }: MovedSeries): Sign[] {
  const meaning = meaningOf(name);
  if (node === undefined || (meaning && meaning.worse !== onset.direction)) return [];
  const grows = meaning?.kind === 'memory' && onset.ramp;
  const isLoad = meaning?.kind === 'load';
  const leaks = grows && until - onset.at >= LEAK_MS;
  return [
    {
      ...{ node, at: onset.at, from: 'metric', tells: leaks ? 1 : (meaning?.tells ?? 0) },
      spreads: meaning?.spreads ?? false,
      weight: (leaks ? 1 : Math.min(1, Math.log10(1 + onset.deviations) / 3)) * (isLoad ? LOAD : 1),
      says: `${name} left its usual band at ${clock(onset.at)}`,
      ...(meaning && { kind: grows ? 'memory-leak' : meaning.kind }),
    },
  ];
}

/** Of many series that show the same of a node, the one that shows it most: a resource is one, however often it is counted. */
function strongestOfEach(signs: readonly Sign[]): Sign[] {
  const best = new Map<string, Sign>();
  for (const sign of signs) {
    const key = `${sign.node} ${sign.kind ?? sign.says}`;
    const known = best.get(key);
    const [more, other] = known && known.weight >= sign.weight ? [known, sign] : [sign, known];
    const at = Math.min(more.at ?? Infinity, other?.at ?? Infinity);
    best.set(key, { ...more, at });
  }
  return [...best.values()];
}

function signsInLogs({ nodes }: Observations, { appeared }: Trouble): Sign[] {
  const ids = nodes.map(({ id }) => id);
  const callers = callersOf(nodes);
  return appeared
    .filter(({ error, warning }) => error || warning)
    .flatMap(({ node, error, first: at, sample }): Sign[] => {
      const said = kindOfText(sample.body);
      const own = said && OF_SPEAKER.has(said.kind);
      const names = nodesNamedIn(sample.body.slice(0, LOOKED_AT), ids);
      // A node names its callers to say which of them it refuses.
      const blamed = names.filter((id) => id !== node && !callers.get(node ?? '')?.has(id));
      const accused = own ? [] : blamed;
      const about = { at, ...(said ?? { tells: 0 }) };
      const says = `new ${error ? 'error' : 'warning'} since ${clock(at)}: ${sample.body.slice(0, 160)}`;
      const others = accused.map((id): Sign => ({
        ...{ ...about, node: id, from: 'caller', weight: 1.2, spreads: true },
        says: `${node ?? 'another node'} names it in an error: ${sample.body.slice(0, 160)}`,
      }));
      if (node === undefined) return others;
      const named = accused.map((id): Sign => ({
        ...{ node, at, from: 'log', weight: -0.5, tells: 0, spreads: false },
        says: `its errors name ${id}`,
      }));
      const isPassedOn = ABOUT_OTHERS.test(sample.body);
      const passedOn: Sign = {
        ...{ node, at, from: 'log', weight: -0.4, tells: 0, spreads: false },
        says: 'its errors are about what it calls',
      };
      const shown: Sign = {
        ...{ ...about, node, from: 'log', weight: error ? 1 : 0.6, says },
        spreads: isPassedOn || accused.length > 0,
      };
      return [shown, ...others, ...named, ...(isPassedOn ? [passedOn] : [])];
    });
}

/** Nodes from which a node is reached by calls. */
function callersOf(nodes: Observations['nodes']): Map<string, Set<string>> {
  const callers = new Map<string, Set<string>>();
  for (const { id, dependsOn } of nodes)
    for (const callee of dependsOn) callers.set(callee, (callers.get(callee) ?? new Set()).add(id));
  for (const reached of callers.values())
    for (const id of reached) for (const next of callers.get(id) ?? []) reached.add(next);
  return callers;
}

const LEAST_LINE = 4;
const FULL_LINE = 9;

function signsInObjects({ kubernetesByNode }: Observations, { quietUntil }: Trouble): Sign[] {
  return [...kubernetesByNode].flatMap(([node, objects]) => {
    const recent = objects.filter((each) => !isOver(each, quietUntil));
    return tellingLines(describeObjects(recent), '')
      .filter(({ weight }) => weight >= LEAST_LINE)
      .map(({ text, weight, kind }): Sign => {
        const tells = Math.min(1, weight / FULL_LINE);
        return {
          node,
          from: 'kubernetes',
          weight: 1.5 * tells,
          tells,
          spreads: false,
          says: text,
          ...(kind && { kind }),
        };
      });
  });
}

/** An event that was last seen in the quiet time is of something else. */
function isOver({ kind, object }: KubernetesObject, quietUntil: number): boolean {
  return kind === 'Event' && Date.parse(eventTime(object)) < quietUntil;
}

function signsInSpans({ spans }: Observations, { failedSpans }: Trouble): Sign[] {
  const failedBelow = new Set(
    spans
      .filter(({ error, parentId }) => error !== undefined && parentId !== undefined)
      .map(({ traceId, parentId }) => `${traceId}/${parentId}`),
  );
  return failedSpans.flatMap(({ node, traceId, spanId, start: at, name, error = '' }): Sign[] => {
    if (node === undefined) return [];
    const passedOn = failedBelow.has(`${traceId}/${spanId}`);
    const says = passedOn
      ? `${name} fails with a call below it`
      : `${name} fails, and nothing below it does`;
    const common = { node, at, says, from: 'span' as const, spreads: passedOn };
    return [
      { ...common, weight: passedOn ? 0.1 : 0.8, tells: 0, ...(passedOn ? {} : kindOfText(error)) },
    ];
  });
}
