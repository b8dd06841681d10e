import { symptomOf, type Finding, type Symptom } from './finding.js';

/** Which symptoms of a dependency may explain a symptom of a node that depends on it. */
const EXPLAINED_BY: Record<Symptom, readonly Symptom[]> = {
  unreachable: ['unreachable', 'nameless', 'erroring', 'saturated'],
  erroring: ['unreachable', 'nameless', 'erroring', 'slow', 'saturated', 'invalid'],
  // Only by a dependency that takes the time: see `takesTheTime`.
  slow: ['unreachable', 'nameless', 'erroring', 'slow', 'saturated'],
  // Only by a name service, whatever is wrong with that.
  nameless: [],
  // Its own resource, its own certificate: no dependency can be the cause.
  saturated: [],
  invalid: [],
  advisory: [],
};

/** A node that waits for a dependency takes at least this share of the dependency's time, and the dependency of the node's. */
const SHARE = 0.5;
/** An answer that comes this fast, in ms, has waited for nothing. */
const AT_ONCE_MS = 100;

/**
 * Whether the trouble of a dependency may explain that of a node which depends on it, directly or not.
 * @param kind of the dependency
 */
export function explains(cause: Finding, finding: Finding, kind: string | undefined): boolean {
  const [of, by] = [symptomOf(finding), symptomOf(cause)];
  // A report of a node about its dependency explains what the same results show, not the node's other trouble.
  if (cause.via !== undefined && cause.via === finding.node)
    return finding.evidence.every((n) => cause.evidence.includes(n));
  if (of === 'nameless') return kind === 'dns';
  if (!EXPLAINED_BY[of].includes(by)) return false;
  if (of === 'slow') return takesTheTime(cause, finding, kind);
  return !(of === 'erroring' && by === 'slow' && failsAtOnce(finding, cause));
}

/** Whether a node may be slow because of a dependency: only if the dependency takes a good part of the time. */
function takesTheTime(cause: Finding, finding: Finding, kind: string | undefined): boolean {
  if (symptomOf(cause) === 'saturated' && (kind === 'host' || kind === 'process')) return true;
  if (cause.took_ms === undefined) return symptomOf(cause) === 'slow';
  return cause.took_ms >= (finding.took_ms ?? 2 * AT_ONCE_MS) * SHARE;
}

/** Whether a node fails far too fast to have waited for its slow dependency. */
const failsAtOnce = ({ took_ms: took }: Finding, { took_ms: of }: Finding): boolean =>
  took !== undefined && of !== undefined && took < AT_ONCE_MS && took < of * SHARE;
