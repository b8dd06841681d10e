import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';

/**
 * Words of programs, and names of metrics, that distinguish a failure from others of its kind, and
 * its entry of the catalogue of next steps. Only text of programs is read this way, not the
 * sentences of this service.
 */
const ENTRIES: readonly { kind: FailureKind; entry: string; pattern: RegExp }[] = [
  {
    kind: 'timeout',
    entry: 'statement-timeout',
    pattern: /\bdue to (?:statement|lock) timeout|Lock wait timeout exceeded/i,
  },
  { kind: 'rate-limited', entry: 'quota-of-provider', pattern: /\bquota\b|OVER_QUERY_LIMIT/i },
  {
    kind: 'capacity',
    entry: 'nginx-connections',
    pattern: /\bworker_connections are not enough/,
  },
  { kind: 'volume', entry: 'unbound-claim', pattern: /unbound immediate PersistentVolumeClaim/ },
  {
    kind: 'infrastructure',
    entry: 'clock',
    pattern: /timex_offset|\bclock\b|\bused before issued\b/i,
  },
];

/** The entry as a property of a finding with such words; empty if the words have no entry. */
export function stepsOfText(kind: FailureKind | undefined, text: string): { steps?: string } {
  const found = ENTRIES.find((each) => each.kind === kind && each.pattern.test(text));
  return found === undefined ? {} : { steps: found.entry };
}
