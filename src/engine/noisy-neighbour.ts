import type { FailureKind } from '../domain/diagnosis/failure-kind.js';
import { isWorse, type MovedSeries, type Observations } from './observations.js';
import type { RankedCause } from './ranking.js';
import { meaningOf, nameOfSeries } from './series/meaning-of-metric.js';

const MACHINE = /^(?:host|machine|vm|virtual-?machine|bare-?metal|hypervisor)$/i;

export const isMachine = ({ kind = '' }: Observations['nodes'][number]): boolean =>
  MACHINE.test(kind);

/** Resources that all programs on a machine share. */
const SHARED: ReadonlySet<FailureKind> = new Set(['cpu-saturated', 'capacity', 'memory', 'load']);
/** Growth factor of its use. */
const GREEDY = 2;

/**
 * A node that uses much more of its machine than before, while the machine lacks that resource and
 * others on it suffer, is a noisy neighbour.
 */
export function asNeighbour(
  cause: RankedCause,
  { nodes }: Pick<Observations, 'nodes'>,
  moved: readonly MovedSeries[],
): RankedCause {
  if (!SHARED.has(cause.kind)) return cause;
  const below = nodes.find(({ id }) => id === cause.node)?.dependsOn ?? [];
  const kindsOf = (id: string, isMeant: (each: MovedSeries) => boolean) =>
    new Set(
      moved.flatMap((each) => {
        const kind = meaningOf(nameOfSeries(each))?.kind;
        return each.node === id && kind && SHARED.has(kind) && isMeant(each) ? [kind] : [];
      }),
    );
  const taken = kindsOf(cause.node, ({ onset }) => onset.to >= GREEDY * onset.from);
  const machine = nodes.find((node) => {
    if (!isMachine(node) || !below.includes(node.id)) return false;
    const isShort = [...kindsOf(node.id, isWorse)].some((kind) => taken.has(kind));
    const others = nodes.filter(
      ({ id, dependsOn }) => id !== cause.node && dependsOn.includes(node.id),
    );
    return (
      isShort && others.some(({ id }) => moved.some((each) => each.node === id && isWorse(each)))
    );
  });
  return machine === undefined
    ? cause
    : {
        ...cause,
        kind: 'noisy-neighbour',
        for: [...cause.for, `others that run on ${machine.id} lack what it takes`],
      };
}
