import type { FailureKind } from '../domain/diagnosis/failure-kind.js';
import { effectsOf, type MechanismKind } from './changes/mechanisms/mechanism.js';
import type { ExternalCause, ExternalKind } from './outside/external-cause.js';
import { specificityOf, type TextSymptom } from './symptoms.js';

/** The kind of failure that a mechanism causes, independent of the symptoms. */
const BY_MECHANISM: Partial<Record<MechanismKind, FailureKind>> = {
  'nil-guard-removed': 'crash',
  'fixed-position-read': 'crash',
  'unbounded-growth': 'memory-leak',
  'io-in-loop': 'slow-query',
  'index-removed': 'slow-query',
  'query-heavier': 'slow-query',
  'contract-renamed': 'schema-mismatch',
  'schema-use': 'schema-mismatch',
  'schema-change': 'schema-mismatch',
  arithmetic: 'wrong-result',
  'key-changed': 'cache',
  'ttl-lowered': 'cache',
  'jitter-removed': 'cache',
  'cache-removed': 'cache',
  'timeout-lowered': 'timeout',
  'timeout-removed': 'timeout',
  'backoff-removed': 'timeout',
  'retries-lowered': 'timeout',
  'retries-raised': 'retry-storm',
  'batching-removed': 'rate-limited',
  'limit-lowered': 'connection-pool-exhausted',
  'connections-raised': 'connection-pool-exhausted',
  'instances-raised': 'connection-pool-exhausted',
  'instances-lowered': 'capacity',
  'descriptors-lowered': 'capacity',
  'verbosity-raised': 'disk-full',
  'release-removed': 'connection-pool-exhausted',
  'memory-limit-lowered': 'out-of-memory',
  'cpu-limit-lowered': 'cpu-throttled',
  'registration-removed': 'regression',
  'address-changed': 'wrong-address',
  'env-changed': 'config',
  'auth-changed': 'auth',
  'network-policy-changed': 'network-policy',
  'validation-tightened': 'schema-mismatch',
  'leniency-removed': 'schema-mismatch',
  'cpu-heavier': 'cpu-saturated',
  'time-changed': 'wrong-result',
  'name-server-changed': 'dns',
  'clock-sync-removed': 'infrastructure',
  'plan-changed': 'slow-query',
  'packet-size-changed': 'config',
  'lock-added': 'lock',
  'ordering-changed': 'lock',
  'unbounded-read': 'out-of-memory',
  'interval-lowered': 'load',
  'command-changed': 'bad-command',
  // A pod that is not ready receives no requests, but continues to run.
  'readiness-changed': 'config',
  'probe-changed': 'crash-loop',
  'connection-reuse-removed': 'capacity',
  'retention-raised': 'disk-full',
  'version-minor': 'crash-loop',
  'version-major': 'crash-loop',
};

const BY_SYMPTOM: Partial<Record<TextSymptom, FailureKind>> = {
  crash: 'crash',
  startup: 'crash-loop',
  oom: 'out-of-memory',
  memory: 'memory-leak',
  pool: 'connection-pool-exhausted',
  timeout: 'timeout',
  latency: 'latency',
  queries: 'slow-query',
  throttle: 'rate-limited',
  deser: 'schema-mismatch',
  schema: 'schema-mismatch',
  notfound: 'regression',
  auth: 'auth',
  tls: 'certificate-expired',
  dns: 'dns',
  refused: 'unreachable',
  queue: 'queue-lag',
  skew: 'queue-lag',
  cpu: 'cpu-saturated',
  dbcpu: 'slow-query',
  disk: 'disk-full',
  ports: 'capacity',
  lock: 'lock',
  conflict: 'lock',
  cache: 'cache',
  clock: 'infrastructure',
  load: 'load',
  client: 'schema-mismatch',
};

/** The symptoms that indicate a kind of failure. */
export const symptomsOf = (kind: FailureKind): TextSymptom[] =>
  (Object.keys(BY_SYMPTOM) as TextSymptom[]).filter((symptom) => BY_SYMPTOM[symptom] === kind);

const BY_EXTERNAL: Record<ExternalKind, FailureKind> = {
  'certificate-expired': 'certificate-expired',
  dns: 'dns',
  'provider-outage': 'provider-outage',
  region: 'region',
  infrastructure: 'infrastructure',
  'bad-data': 'bad-data',
  surge: 'traffic-surge',
  credential: 'auth',
};

/** Another workload on the same machine uses its share; the machine itself does not fail. */
const NEIGHBOUR = /neighbou?r|steal|co-?(located|tenant|scheduled)|runqueue|throttled_by|cgroup/i;

/** A healthy provider that refuses additional requests. */
const REFUSES_MORE = /fail with 429\b/;

/** The failure of a node that an external cause brings about. */
export function kindOfExternal({ kind, says }: ExternalCause): FailureKind {
  if (kind === 'infrastructure' && NEIGHBOUR.test(says)) return 'noisy-neighbour';
  return kind === 'provider-outage' && REFUSES_MORE.test(says) ? 'rate-limited' : BY_EXTERNAL[kind];
}

function strongest(symptoms: ReadonlyMap<TextSymptom, number>): FailureKind | undefined {
  const weighed = [...symptoms].flatMap(([symptom, strength]) => {
    const kind = BY_SYMPTOM[symptom];
    return kind === undefined ? [] : [{ kind, weight: strength * specificityOf(symptom) }];
  });
  return weighed.toSorted((a, b) => b.weight - a.weight)[0]?.kind;
}

/** A mechanism explains the kind if one of its symptoms shows at least this strongly. */
const SHOWN = 0.3;

function ofMechanism(
  mechanism: MechanismKind,
  symptoms: ReadonlyMap<TextSymptom, number>,
): FailureKind | undefined {
  const strength = (symptom: TextSymptom) => symptoms.get(symptom) ?? 0;
  const shown = effectsOf(mechanism).some(
    ([symptom, weight]) => weight >= 0.7 && strength(symptom) >= SHOWN,
  );
  // A different plan only makes queries slow.
  if (mechanism === 'plan-changed') return 'slow-query';
  // A cache with less memory evicts; any other program is killed.
  if (mechanism === 'memory-limit-lowered' && strength('cache') > strength('oom')) return 'cache';
  // A limit is either one of connections, or one of requests.
  if (mechanism === 'limit-lowered' && strength('throttle') > strength('pool'))
    return 'rate-limited';
  // More requests are refused if the number of requests is limited.
  if (
    (mechanism === 'interval-lowered' || mechanism === 'concurrency-raised') &&
    strength('throttle') >= SHOWN
  )
    return 'rate-limited';
  // Single requests are refused only if the number of requests is limited.
  if (mechanism === 'batching-removed' && strength('queries') > strength('throttle'))
    return 'slow-query';
  // An unbounded read of rows takes long before it fills the memory.
  if (mechanism === 'unbounded-read' && Math.max(strength('oom'), strength('memory')) < SHOWN)
    return shown ? 'slow-query' : undefined;
  // A table that is altered is locked: its users wait, even if its columns fit.
  if (
    mechanism === 'schema-change' &&
    strength('lock') >= SHOWN &&
    strength('lock') > strength('schema')
  )
    return 'lock';
  // A key determines the place of cache entries and the partition of messages.
  if (
    mechanism === 'key-changed' &&
    Math.max(strength('queue'), strength('skew')) > strength('cache')
  )
    return 'queue-lag';
  return shown ? BY_MECHANISM[mechanism] : undefined;
}

/** A sign this strong shows what went wrong at the node. */
const PLAIN = 0.35;

/**
 * The kind of failure: that of the causing change's mechanism if its symptoms show, otherwise that
 * of the external cause, otherwise the strongest symptom.
 */
export function kindOfFailure(
  mechanism: MechanismKind | undefined,
  external: ExternalCause | undefined,
  symptoms: ReadonlyMap<TextSymptom, number>,
  own: readonly (readonly [FailureKind, number])[] = [],
): FailureKind {
  const [shown] = own;
  const ofChange = mechanism && ofMechanism(mechanism, symptoms);
  if (ofChange === 'crash' && shown?.[0] === 'exception') return 'exception';
  if (ofChange !== undefined) return ofChange;
  if (
    mechanism === undefined &&
    external !== undefined &&
    external.strength >= (shown?.[1] ?? 0) - 0.1
  )
    return kindOfExternal(external);
  if (shown !== undefined && shown[1] >= PLAIN) return shown[0];
  return strongest(symptoms) ?? shown?.[0] ?? (mechanism && BY_MECHANISM[mechanism]) ?? 'unknown';
}
