import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import { reachOf } from '../call-graph.js';
import type { FailingNode } from '../first-failing.js';
import { symptomsOf } from '../kind-of-failure.js';
import type { ChangeScene } from './change-scene.js';
import { effectsOf, type MechanismKind } from './mechanisms/mechanism.js';

/** Failures of a node itself, which no wrong request of a caller causes. */
const OF_ITSELF: ReadonlySet<FailureKind> = new Set([
  'infrastructure',
  'noisy-neighbour',
  'disk-full',
  'slow-query',
  'lock',
  'out-of-memory',
  'memory-leak',
  'crash',
  'crash-loop',
  'cpu-saturated',
  'cpu-throttled',
  'network-delay',
  'certificate-expired',
]);
/** From here on, a node clearly shows a failure. */
const PLAIN = 0.5;
/** A mechanism that causes a symptom this readily may have caused it at a callee. */
const READILY = 0.5;
/** Load makes a callee busy and slow. */
const OF_LOAD: ReadonlySet<FailureKind> = new Set(['cpu-saturated', 'slow-query']);
/** A mechanism that creates so much load that others may suffer from it. */
const LOADS = 0.6;
/** The remaining factor of a change at a node that only suffers from another one. */
const SUFFERS = 0.4;

const NO_DOUBT = { factor: 1, against: [] as string[] };

/**
 * Whether a callee of the change's node failed independently and as early, in a way that the change
 * does not cause: then that explains the failure of the node, and the change does not.
 */
export function doubtByCallee(
  node: string | undefined,
  mechanism: MechanismKind | undefined,
  { failing, calls }: Pick<ChangeScene, 'failing' | 'calls'>,
): typeof NO_DOUBT {
  const own = failing.find((each) => each.node === node);
  if (node === undefined || own?.isExplained === undefined) return NO_DOUBT;
  const below = reachOf(node, calls);
  const plain = failing
    .filter((each) => below.has(each.node) && (each.since ?? 0) <= (own.since ?? Infinity))
    .flatMap((each) => plainFailures(each).map((kind) => ({ callee: each.node, kind })));
  const effects = mechanism === undefined ? [] : effectsOf(mechanism);
  const isBroughtAbout = (kind: FailureKind) =>
    effects.some(
      ([symptom, weight]) =>
        (weight >= READILY && symptomsOf(kind).includes(symptom)) ||
        (weight >= LOADS && symptom === 'load' && OF_LOAD.has(kind)),
    );
  const [first] = plain;
  if (first === undefined || plain.some(({ kind }) => isBroughtAbout(kind))) return NO_DOUBT;
  const failure = first.kind.replaceAll('-', ' ');
  return {
    factor: SUFFERS,
    against: [`${first.callee}, which it calls, shows a failure of its own as early: ${failure}`],
  };
}

const plainFailures = ({ kinds }: FailingNode): FailureKind[] =>
  kinds.flatMap(([kind, strength]) => (strength >= PLAIN && OF_ITSELF.has(kind) ? kind : []));
