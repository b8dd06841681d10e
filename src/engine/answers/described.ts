import type { KubernetesObject } from '../../domain/telemetry/records.js';
import type { Fields } from '../../domain/kubernetes/fields.js';
import { agesOfEvent, isoOf, msOfTime } from './age.js';
import { rowsOf } from './columns.js';
import { podSpecOf, podStatusOf } from './described-pod.js';
import { byKey, type Entry, outline, pairsIn, valuesOf } from './outline.js';

type Entries = ReadonlyMap<string, Entry>;

/**
 * The objects in the output of `kubectl describe`, with their events, in the form of the API and
 * with the fields that are judged.
 * @param kind of the objects, as the API spells it
 * @param now of the incident: the text was printed then
 */
export function describedObjects(text: string, kind: string, now: number): KubernetesObject[] {
  return text
    .replace(/^stderr:[^]*/m, '')
    .split(/^(?=Name:\s)/m)
    .filter((part) => part.startsWith('Name:'))
    .flatMap((part) => describedObject(part, kind, now));
}

function describedObject(text: string, kind: string, now: number): KubernetesObject[] {
  const entries = byKey(outline(text.split('\n')));
  const name = entries.get('Name')?.value ?? '';
  if (name === '') return [];
  const given = entries.get('Namespace')?.value ?? '';
  const namespace = given === '' || given === '<none>' ? undefined : given;
  const events = rowsOf(entries.get('Events')?.below ?? []);
  const shift =
    now -
    printedAt(
      text,
      entries,
      events.map((row) => row.get('AGE') ?? ''),
    );
  const created = entries.get('CreationTimestamp') ?? entries.get('Start Time');
  const metadata = {
    name,
    namespace,
    labels: pairsIn(valuesOf(entries.get('Labels'))),
    creationTimestamp: isoOf(msOfTime(created?.value ?? '') + shift),
    ownerReferences: ownerOf(entries.get('Controlled By')?.value ?? ''),
  };
  const conditions = conditionsIn(entries.get('Conditions'));
  const parts = partsOf(kind, entries, shift);
  const status = { ...parts.status, ...(conditions.length > 0 && { conditions }) };
  const own = { kind, name, ...(namespace !== undefined && { namespace }) };
  return [
    { ...own, object: { kind, metadata, spec: parts.spec, status } },
    ...endpointsOf(kind, own, entries),
    ...events.map((row, index): KubernetesObject => {
      const ages = agesOfEvent(row.get('AGE') ?? '');
      return eventOf(`${name}-${index}`, {
        namespace,
        involvedObject: own,
        type: row.get('TYPE') ?? '',
        reason: row.get('REASON') ?? '',
        message: row.get('MESSAGE') ?? '',
        first: now - ages.first,
        last: now - ages.last,
      });
    }),
  ];
}

interface EventParts {
  namespace: string | undefined;
  involvedObject: Fields | KubernetesReference;
  type: string;
  reason: string;
  message: string;
  first: number;
  last: number;
}
interface KubernetesReference {
  kind: string;
  name: string;
  namespace?: string;
}

/** An event in the form of the API. */
export function eventOf(
  name: string,
  { namespace, first, last, ...object }: EventParts,
): KubernetesObject {
  return {
    kind: 'Event',
    name,
    ...(namespace !== undefined && { namespace }),
    object: {
      ...object,
      ...(!Number.isNaN(first) && { firstTimestamp: isoOf(first) }),
      ...(!Number.isNaN(last) && { lastTimestamp: isoOf(last) }),
    },
  };
}

/**
 * When a text was printed, in ms since 1970: no time in it is later, and the oldest event is as old
 * as the object.
 */
function printedAt(text: string, entries: Entries, ages: readonly string[]): number {
  const times = [...text.matchAll(/\w{3}, \d{2} \w{3} \d{4} [\d:]{8} [+-]\d{4}/g)].map(([time]) =>
    msOfTime(time),
  );
  const oldest = Math.max(...ages.map((age) => agesOfEvent(age).first).filter(Number.isFinite));
  const started = msOfTime(entries.get('Start Time')?.value ?? '');
  const known = [...times, started + oldest].filter(Number.isFinite);
  return known.length === 0 ? NaN : Math.max(...known);
}

/** `ReplicaSet/web-7c9d8f6b5d` */
function ownerOf(owner: string): Fields[] {
  const [kind, name] = owner.split('/');
  return kind !== undefined && name !== undefined ? [{ kind, name }] : [];
}

const conditionsIn = (entry: Entry | undefined): Fields[] =>
  rowsOf(entry?.below ?? []).map((row) => ({
    type: row.get('TYPE') ?? '',
    status: row.get('STATUS') ?? '',
    reason: row.get('REASON') ?? '',
    message: row.get('MESSAGE') ?? '',
  }));

/** The field with the number of ready pods. */
const READY = {
  Deployment: ['Replicas', /(\d+) available/],
  StatefulSet: ['Pods Status', /(\d+) Running/],
  ReplicaSet: ['Pods Status', /(\d+) Running/],
} as const;

/** The fields of an object's kind, apart from metadata and conditions. */
function partsOf(kind: string, entries: Entries, shift: number): { spec: Fields; status: Fields } {
  const value = (key: string) => entries.get(key)?.value ?? '';
  const numberAfter = (key: string, pattern: RegExp) => Number(pattern.exec(value(key))?.[1] ?? 0);
  switch (kind) {
    case 'Pod':
      return { spec: podSpecOf(entries), status: podStatusOf(entries, shift) };
    case 'Service':
      return {
        spec: { selector: pairsIn(valuesOf(entries.get('Selector'))), type: value('Type') },
        status: {},
      };
    case 'Deployment':
    case 'StatefulSet':
    case 'ReplicaSet': {
      const [key, pattern] = READY[kind];
      return {
        spec: {
          replicas: numberAfter('Replicas', /(\d+) desired/),
          template: templateOf(entries),
        },
        status: {
          readyReplicas: numberAfter(key, pattern),
        },
      };
    }
    case 'Job':
      return {
        spec: { template: templateOf(entries) },
        status: {
          failed: Number(/(\d+) Failed/.exec(value('Pods Statuses'))?.[1] ?? 0),
          succeeded: Number(/(\d+) (?:Succeeded|Completed)/.exec(value('Pods Statuses'))?.[1] ?? 0),
        },
      };
    case 'CronJob':
      return {
        spec: { schedule: value('Schedule'), suspend: value('Suspend') === 'True' },
        status: {},
      };
    case 'PersistentVolumeClaim':
      return {
        spec: { storageClassName: value('StorageClass') },
        status: { phase: value('Status') },
      };
    case 'Node':
      return { spec: { unschedulable: value('Unschedulable') === 'true' }, status: {} };
    case 'ResourceQuota':
      return { spec: {}, status: quotaOf(entries) };
    default:
      return { spec: {}, status: {} };
  }
}

function templateOf(entries: Entries): Fields {
  const template = byKey(outline(entries.get('Pod Template')?.below ?? []));
  return {
    metadata: { labels: pairsIn(valuesOf(template.get('Labels'))) },
    spec: podSpecOf(template),
  };
}

/** The table of a quota follows its namespace, without a heading of its own. */
function quotaOf(entries: Entries): Fields {
  const rows = rowsOf(entries.get('Namespace')?.below ?? []);
  const column = (name: string) =>
    Object.fromEntries(rows.map((row) => [row.get('RESOURCE') ?? '', row.get(name) ?? '']));
  return { used: column('USED'), hard: column('HARD') };
}

/** The targets of a service are in its description. */
function endpointsOf(
  kind: string,
  own: Omit<KubernetesObject, 'object' | 'kind'>,
  entries: Entries,
): KubernetesObject[] {
  const endpoints = entries.get('Endpoints');
  if (kind !== 'Service' || endpoints === undefined) return [];
  const addresses = valuesOf(endpoints)
    .join(',')
    .split(',')
    .filter((each) => /\d/.test(each))
    .map((ip) => ({ ip: ip.trim() }));
  return [
    { ...own, kind: 'Endpoints', object: { subsets: addresses.length > 0 ? [{ addresses }] : [] } },
  ];
}
