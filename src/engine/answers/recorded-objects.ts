import { keyOfObject } from '../../domain/kubernetes/workload.js';
import { type Fields, fieldsOf, listOf, textOf } from '../../domain/kubernetes/fields.js';
import type { KubernetesObject, ToolRecording } from '../../domain/telemetry/records.js';
import { isoOf } from './age.js';
import { describedObjects } from './described.js';
import { askedOf, kindOf, type Asked } from './kinds.js';
import { listedEvents, listedObjects } from './listed.js';
import { namedPolicies } from './policies.js';

/** The objects of an answer, and what remains of its text. */
interface ReadAnswer {
  objects: readonly KubernetesObject[];
  /** The kinds that it lists completely: `Pod shop` for those of one namespace. */
  read: readonly string[];
  /** Lines that belong to no object; absent if all were read. */
  rest?: ToolRecording;
}

/**
 * The content of `kubectl` answers: objects in the form of the API, so that the rules for a live
 * cluster judge them, too, and answers that are text. Ages in answers are relative to `now`.
 */
export function recordedObjects(
  answers: readonly ToolRecording[],
  now: number,
): { objects: KubernetesObject[]; read: ReadonlySet<string>; rest: ToolRecording[] } {
  const all = answers.map((answer) => readAnswer(answer, now));
  // A description contains more of an object than a row of a table.
  const sorted = all.flatMap(({ objects }) => objects).toSorted((a, b) => rank(a) - rank(b));
  const byKeys = new Map<string, KubernetesObject>();
  for (const each of sorted) {
    const key = each.kind === 'Event' ? eventKey(each) : keyOfObject(each);
    if (!byKeys.has(key)) byKeys.set(key, each);
  }
  const objects = [...byKeys.values()];
  return {
    objects: objects.map((each) => withTemplate(each, objects)),
    read: new Set(all.flatMap(({ read }) => read)),
    rest: all.flatMap(({ rest }) => rest ?? []),
  };
}

const rank = ({ object }: KubernetesObject): number =>
  listOf(fieldsOf(object['spec'])['containers']).length > 0 ? 0 : 1;

/** The same event occurs in a description and in a list of events. */
const eventKey = ({ object }: KubernetesObject): string => {
  const about = fieldsOf(object['involvedObject']);
  return [
    'Event',
    textOf(about['kind']),
    textOf(about['name']),
    textOf(object['reason']),
    textOf(object['message']),
  ].join(' ');
};

function readAnswer(answer: ToolRecording, now: number): ReadAnswer {
  const { tool, args, output } = answer;
  const text = output.replace(/^stdout:\n/, '').replace(/^stderr:\s*$/m, '');
  if (
    /\bLAST SEEN\b/.test(text.slice(0, 2_000)) &&
    /event/.test(`${tool} ${textOf(args['command'])} ${textOf(args['kind'])}`)
  ) {
    const objects = listedEvents(text, textOf(args['namespace']) || undefined, now);
    if (objects.length > 0) return { objects, read: [] };
  }
  const asked = askedOf(tool, args);
  const unread = { objects: [], read: [], rest: answer };
  if (/^\s*\{/.test(text)) return readJson(answer, text, asked, now) ?? unread;
  if (asked === undefined) return unread;
  if (asked.kind === 'NetworkPolicy') return { ...unread, rest: namedPolicies(answer, text) };
  if (/^Name:\s/m.test(text)) {
    const objects = describedObjects(text, asked.kind, now);
    return { objects, read: [], rest: { ...answer, output: withoutObjects(text) } };
  }
  // A tree of owners contains objects of other kinds.
  if (/lineage|[├└]/.test(tool + text.slice(0, 2_000))) return unread;
  const objects = listedObjects(text, asked, now);
  const isEmpty = /^No resources found/m.test(text);
  return objects.length === 0 && !isEmpty ? unread : { objects, read: listRead(asked, objects) };
}

/** If pods have no labels, it is unknown whether a selector matches none. */
function listRead(
  { kinds, isList, namespace }: Asked,
  objects: readonly KubernetesObject[],
): string[] {
  const hasLabels = objects.some(
    ({ kind, object }) =>
      kind === 'Pod' && Object.keys(fieldsOf(fieldsOf(object['metadata'])['labels'])).length > 0,
  );
  const whole = isList ? kinds.filter((kind) => kind !== 'Pod' || hasLabels) : [];
  return whole.map((kind) => (namespace === undefined ? kind : `${kind} ${namespace}`));
}

/**
 * The content that is judged as objects: events, and the states of containers. Probes are no
 * failures.
 */
function withoutObjects(text: string): string {
  const rest = text
    .replace(/^Events:.*(?:\n[ \t].*)*/gm, '')
    .replace(/^\s+(?:Liveness|Readiness|Startup):\s.*$/gm, '');
  return /^Containers:/m.test(text)
    ? rest.replace(/^\s+(?:State|Last State|Reason|Exit Code):\s.*$/gm, '')
    : rest;
}

const API_TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z/g;

/** `kubectl get -o json`: an object, or a list. No time in it is later than the time of reading. */
function readJson(
  answer: ToolRecording,
  text: string,
  asked: Asked | undefined,
  now: number,
): ReadAnswer | undefined {
  const times = [...text.matchAll(API_TIME)].map(([time]) => Date.parse(time));
  const shift = now - times.reduce((a, b) => Math.max(a, b), -Infinity);
  try {
    const moved = text.replace(API_TIME, (time) => isoOf(Date.parse(time) + shift));
    const parsed = fieldsOf(JSON.parse(moved));
    const items = Array.isArray(parsed['items']) ? listOf(parsed['items']) : [parsed];
    const objects = items.flatMap((object) => apiObject(object) ?? []);
    if (objects.length === 0) return undefined;
    const isJudged = objects.every(({ kind }) => kind === 'Event' || kindOf(kind) !== undefined);
    return {
      objects,
      read: asked === undefined ? [] : listRead(asked, objects),
      ...(!isJudged && { rest: answer }),
    };
  } catch {
    return undefined;
  }
}

function apiObject(object: Fields): KubernetesObject | undefined {
  const kind = textOf(object['kind']);
  const metadata = fieldsOf(object['metadata']);
  const [name, namespace] = [textOf(metadata['name']), textOf(metadata['namespace'])];
  if (kind === '' || name === '') return undefined;
  return { kind, name, ...(namespace !== '' && { namespace }), object };
}

/** The suffix that a pod's name adds to that of its workload. */
const OF_WORKLOAD = /^(?:-[a-z0-9]{6,10})?-(?:[a-z0-9]{5}|\d{1,4})$/;

/** A pod of a table has the template of its workload, if that is known. */
function withTemplate(pod: KubernetesObject, all: readonly KubernetesObject[]): KubernetesObject {
  if (pod.kind !== 'Pod' || rank(pod) === 0) return pod;
  const maker = all.find(
    ({ name, namespace, object }) =>
      namespace === pod.namespace &&
      fieldsOf(object['spec'])['template'] !== undefined &&
      pod.name.startsWith(name) &&
      OF_WORKLOAD.test(pod.name.slice(name.length)),
  );
  if (maker === undefined) return pod;
  const spec = fieldsOf(fieldsOf(fieldsOf(maker.object['spec'])['template'])['spec']);
  return { ...pod, object: { ...pod.object, spec } };
}
