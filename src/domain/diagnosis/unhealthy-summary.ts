import type { FailureKind } from './failure-kind.js';
import { reportedPlace } from './issue-kind.js';
import { symptomOf, type Finding, type Symptom } from './finding.js';

/** The symptoms of a dependency that may explain a symptom of a node that depends on it. */
const EXPLAINED_BY: Record<Symptom, readonly Symptom[]> = {
  unreachable: ['unreachable', 'nameless', 'erroring', 'saturated'],
  erroring: ['unreachable', 'nameless', 'erroring', 'slow', 'saturated', 'invalid'],
  // Only by a dependency that takes the time (`takesTheTime`); if there is no answer, by any that
  // fails (`givesNoAnswer`).
  slow: ['unreachable', 'nameless', 'erroring', 'slow', 'saturated'],
  // Only by a name service, whatever its fault.
  nameless: [],
  // Its own resource or certificate: no dependency can be the cause.
  saturated: [],
  invalid: [],
  advisory: [],
};

/** Whether any fault of a dependency may be the cause of a symptom. */
export const comesFromBelow = (symptom: Symptom): boolean => EXPLAINED_BY[symptom].length > 0;

/**
 * Kinds of which a failing dependency is no cause: the node's statement about its own disk or
 * memory. Only a dependency that lacks the same may explain it, since a node forwards the message
 * of its dependency.
 */
const RESOURCES: Partial<Record<FailureKind, 'disk' | 'memory'>> = {
  'disk-full': 'disk',
  volume: 'disk',
  'out-of-memory': 'memory',
  memory: 'memory',
};
/**
 * Kinds of nodes that forward no requests: if one of them fails, paths through the nodes that use
 * it still exist.
 */
const STORES: ReadonlySet<string> = new Set([
  'redis',
  'postgres',
  'mysql',
  'rabbitmq',
  'kafka',
  'elasticsearch',
]);

/**
 * A node that waits for a dependency takes at least this share of the dependency's time, and vice
 * versa.
 */
const SHARE = 0.5;
/** An answer that comes this fast, in ms, has waited for nothing. */
const AT_ONCE_MS = 100;

/** ms until nodes showed a symptom: the known minimum and maximum, and whether some are unknown. */
interface SymptomTimes {
  least: number;
  greatest: number;
  untimed: boolean;
}

/**
 * The findings of any number of unhealthy nodes, reduced to what decides whether they explain a
 * finding of a node that depends on them: constant in size, so that a graph can be judged in time
 * linear in its edges.
 */
export interface UnhealthySummary {
  times: ReadonlyMap<Symptom, SymptomTimes>;
  /** A name service has a fault. */
  ofNameService: boolean;
  /** A machine or a process is saturated. */
  ofMachine: boolean;
  /**
   * A node that is not a store, or its path, does not exist: the node that forwards requests to it
   * may answer 404.
   */
  takesPath: boolean;
  /** A critical failure of any kind: a caller that waits until it works gives no answer. */
  fails: boolean;
  /** The exhausted resources. */
  resources: ReadonlySet<'disk' | 'memory'>;
}

export const NOTHING_UNHEALTHY: UnhealthySummary = {
  times: new Map(),
  ofNameService: false,
  ofMachine: false,
  takesPath: false,
  fails: false,
  resources: new Set(),
};

/** Returns the summary of a node's findings. @param kind of the node */
export function summarizeUnhealthy(
  findings: readonly Finding[],
  kind: string | undefined,
): UnhealthySummary {
  const isMachine = kind === 'host' || kind === 'process';
  return joinSummaries(
    findings.map((finding): UnhealthySummary => {
      const symptom = symptomOf(finding);
      const { took_ms: took, severity, kind: failure } = finding;
      const resource = failure && RESOURCES[failure];
      // It gave no answer at all: the time waited is only the minimum that it takes.
      const hangs = symptom === 'slow' && severity === 'critical';
      const times = {
        least: took ?? Infinity,
        greatest: took ?? -Infinity,
        untimed: took === undefined || hangs,
      };
      return {
        times: new Map([[symptom, times]]),
        ofNameService: kind === 'dns',
        ofMachine: isMachine && symptom === 'saturated',
        takesPath:
          !STORES.has(kind ?? '') &&
          (symptom === 'unreachable' || symptom === 'nameless' || failure === 'wrong-address'),
        fails: severity === 'critical' && EXPLAINED_BY.erroring.includes(symptom),
        resources: new Set(resource === undefined ? [] : [resource]),
      };
    }),
  );
}

export function joinSummaries(all: readonly UnhealthySummary[]): UnhealthySummary {
  const times = new Map<Symptom, SymptomTimes>();
  const resources = new Set<'disk' | 'memory'>();
  let ofNameService = false;
  let ofMachine = false;
  let takesPath = false;
  let fails = false;
  for (const signs of all) {
    ofNameService ||= signs.ofNameService;
    ofMachine ||= signs.ofMachine;
    takesPath ||= signs.takesPath;
    fails ||= signs.fails;
    for (const resource of signs.resources) resources.add(resource);
    for (const [symptom, more] of signs.times) {
      const known = times.get(symptom);
      if (known === undefined) times.set(symptom, more);
      else if (!isWithin(more, known))
        times.set(symptom, {
          least: Math.min(known.least, more.least),
          greatest: Math.max(known.greatest, more.greatest),
          untimed: known.untimed || more.untimed,
        });
    }
  }
  return { times, ofNameService, ofMachine, takesPath, fails, resources };
}

const isWithin = (times: SymptomTimes, known: SymptomTimes): boolean =>
  times.least >= known.least &&
  times.greatest <= known.greatest &&
  (known.untimed || !times.untimed);

/** Whether unhealthy dependencies, direct or not, may explain a finding of a node. */
export function explains(signs: UnhealthySummary, finding: Finding): boolean {
  const symptom = symptomOf(finding);
  const { kind } = finding;
  const isOwn = kind === 'disk-full' || kind === 'out-of-memory';
  if (isOwn && reportedPlace({ ...finding, symptom }) === undefined)
    return signs.resources.has(kind === 'disk-full' ? 'disk' : 'memory');
  switch (symptom) {
    case 'nameless':
      return signs.ofNameService;
    case 'slow':
      return (signs.fails && givesNoAnswer(finding)) || takesTheTime(signs, finding);
    case 'erroring':
      if (kind === 'wrong-address' && !signs.takesPath) return false;
      return EXPLAINED_BY.erroring.some((by) =>
        by === 'slow' ? waitsFor(signs, finding) : signs.times.has(by),
      );
    case 'unreachable':
    case 'saturated':
    case 'invalid':
    case 'advisory':
      return EXPLAINED_BY[symptom].some((by) => signs.times.has(by));
  }
}

/** A node that retries a call until it works takes any time, however fast each attempt fails. */
const givesNoAnswer = ({ severity, kind }: Finding): boolean =>
  severity === 'critical' && kind === 'timeout';

/**
 * Whether a node may be slow because of a dependency: only if the dependency takes a large part of
 * the time.
 */
function takesTheTime({ times, ofMachine }: UnhealthySummary, { took_ms: took }: Finding): boolean {
  if (ofMachine || times.get('slow')?.untimed) return true;
  const greatest = Math.max(...EXPLAINED_BY.slow.map((by) => times.get(by)?.greatest ?? -Infinity));
  return greatest >= (took ?? 2 * AT_ONCE_MS) * SHARE;
}

/**
 * Whether a node may fail because it waits for a slow dependency: not if it fails far too fast for
 * that.
 */
function waitsFor({ times }: UnhealthySummary, { took_ms: took }: Finding): boolean {
  const slow = times.get('slow');
  if (slow === undefined) return false;
  return slow.untimed || took === undefined || took >= AT_ONCE_MS || took >= slow.least * SHARE;
}
