import type { FailureKind } from '../diagnosis/failure-kind.js';
import type { Severity, Symptom } from '../diagnosis/finding.js';
import type { KubernetesObject } from '../telemetry/records.js';
import { eventTime } from './event-time.js';
import { type Fields, fieldsOf, listOf, textOf } from './fields.js';

/** The fault of one object. */
export interface KubernetesFinding {
  kind: string;
  name: string;
  /** Empty for an object of the whole cluster. */
  namespace: string;
  severity: Severity;
  symptom: Symptom;
  /** One line, without the object's name. */
  title: string;
  /** The message of Kubernetes. */
  detail: string;
  /** The kind of failure, if the object shows it clearly. */
  failureKind?: FailureKind;
  /** The entry of the catalogue of next steps, if more is known than the kind. */
  steps?: string;
}

/** An object with its usual parts. */
export interface Resource {
  kind: string;
  name: string;
  namespace: string;
  metadata: Fields;
  spec: Fields;
  status: Fields;
  object: Fields;
}

interface Warning {
  at: string;
  reason: string;
  message: string;
}

/** An event that only repeats the reason for which a container waits. */
const RESTATES = /^Error: \w+$/;

const COMBINED = /^\(combined from similar events\): /;

/**
 * The objects by kind, and the kinds that were read: an object of a kind that was not read is not
 * missing.
 */
export class Cluster {
  private readonly byKind = new Map<string, Resource[]>();
  /** By object, the newest of each reason. */
  private readonly warnings = new Map<string, Map<string, Warning>>();

  /**
   * @param now ms since 1970
   * @param kinds that were listed, also where the list was empty; by default those of the objects.
   *   A kind that was listed in one namespace only is `Pod shop`.
   */
  constructor(
    objects: readonly KubernetesObject[],
    readonly now: number,
    private readonly kinds: ReadonlySet<string> = new Set(objects.map(({ kind }) => kind)),
  ) {
    for (const { kind, name, namespace, object } of objects) {
      if (kind === 'Event') this.addEvent(object);
      const metadata = fieldsOf(object['metadata']);
      const resource = {
        kind,
        name,
        metadata,
        object,
        namespace: namespace ?? textOf(metadata['namespace']),
        spec: fieldsOf(object['spec']),
        status: fieldsOf(object['status']),
      };
      const known = this.byKind.get(kind);
      if (known) known.push(resource);
      else this.byKind.set(kind, [resource]);
    }
  }

  all(kind: string): readonly Resource[] {
    return this.byKind.get(kind) ?? [];
  }

  find(kind: string, namespace: string, name: string): Resource | undefined {
    return this.all(kind).find((each) => each.name === name && each.namespace === namespace);
  }

  /** Whether an object is known not to exist. */
  isMissing(kind: string, namespace: string, name: string): boolean {
    return this.hasRead(kind, namespace) && this.find(kind, namespace, name) === undefined;
  }

  /** Whether all objects of a kind were read: of a namespace, or of the cluster. */
  hasRead(kind: string, namespace: string): boolean {
    return this.kinds.has(kind) || this.kinds.has(`${kind} ${namespace}`);
  }

  /**
   * The newest warning about an object, of one of the reasons if some are given, as `reason:
   * message`; empty if there is none.
   */
  warningOf(resource: Resource, ...reasons: string[]): string {
    const found = this.newestWarning(resource, reasons);
    return found ? `${found.reason}: ${found.message}` : '';
  }

  /**
   * When the newest warning about an object was last seen, as the API writes times; empty if there
   * is none.
   */
  warnedAt(resource: Resource): string {
    return this.newestWarning(resource, [])?.at ?? '';
  }

  private newestWarning(
    { kind, namespace, name }: Resource,
    reasons: readonly string[],
  ): Warning | undefined {
    const known = [...(this.warnings.get(`${kind} ${namespace} ${name}`)?.values() ?? [])];
    return known
      .filter(({ reason }) => reasons.length === 0 || reasons.includes(reason))
      .reduce<Warning | undefined>((a, b) => (a !== undefined && a.at > b.at ? a : b), undefined);
  }

  private addEvent(event: Fields): void {
    if (event['type'] !== 'Warning') return;
    const about = fieldsOf(event['involvedObject'] ?? event['regarding']);
    const key = ['kind', 'namespace', 'name'].map((field) => textOf(about[field])).join(' ');
    const at = eventTime(event);
    const reason = textOf(event['reason']);
    const known = this.warnings.get(key) ?? new Map<string, Warning>();
    this.warnings.set(key, known);
    if ((known.get(reason)?.at ?? '') > at) return;
    const message = textOf(event['message']) || textOf(event['note']);
    if (RESTATES.test(message)) return;
    known.set(reason, { at, reason, message: message.replace(COMBINED, '') });
  }
}

/** @param what the symptom, and the kind of failure if the object shows it */
export function finding(
  { kind, name, namespace }: Pick<Resource, 'kind' | 'name' | 'namespace'>,
  severity: Severity,
  what: Symptom | readonly [Symptom, FailureKind | undefined],
  title: string,
): KubernetesFinding {
  const [symptom, failureKind] = typeof what === 'string' ? [what] : what;
  return {
    kind,
    name,
    namespace,
    severity,
    symptom,
    title,
    detail: '',
    ...(failureKind && { failureKind }),
  };
}

/** The condition of a type, if the object has one. */
export function conditionOf({ status }: Resource, type: string): Fields | undefined {
  return listOf(status['conditions']).find((condition) => condition['type'] === type);
}

/** `reason: message` of a condition. */
export const wordsOf = (condition: Fields): string =>
  [textOf(condition['reason']), textOf(condition['message'])]
    .filter((text) => text !== '')
    .join(': ');

/** Whether labels match a selector; an empty selector selects nothing here. */
export function isSelected(selector: unknown, labels: unknown): boolean {
  const wanted = Object.entries(fieldsOf(selector));
  const given = fieldsOf(labels);
  return wanted.length > 0 && wanted.every(([key, value]) => given[key] === value);
}

export const isOwnedBy = ({ metadata }: Resource, kind: string, name: string): boolean =>
  listOf(metadata['ownerReferences']).some(
    (owner) => owner['kind'] === kind && owner['name'] === name,
  );

/** ms since a time of the API; NaN if it is not a time. */
export const ageMs = (time: unknown, now: number): number => now - Date.parse(textOf(time));
