import { analyzeKubernetes } from '../../domain/kubernetes/analyze.js';
import type { KubernetesFinding } from '../../domain/kubernetes/cluster.js';
import { fieldsOf, textOf } from '../../domain/kubernetes/fields.js';
import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import type { KubernetesObject, ToolRecording } from '../../domain/telemetry/records.js';
import { joinSentences } from '../../lib/text.js';
import { describeObjects } from '../kubernetes/objects.js';
import { isHealed, wellPods } from '../kubernetes/healed.js';
import { judgeLine } from '../kubernetes/line-weight.js';
import { judgeQueues } from './judged-queues.js';
import { judgeSessions } from './judged-sessions.js';
import { recordedObjects } from './recorded-objects.js';

/** A fault of an object that is judged as a whole, and compared with others. */
export interface JudgedObject {
  /** `Service shop/web`, and its fault. */
  text: string;
  weight: number;
  kind?: FailureKind;
  /** The entry of the catalogue of next steps, if more is known than the kind. */
  steps?: string;
  name: string;
  namespace: string;
}

/** Answers have no common clock: all ages are relative to the time of reading. */
const READ_AT = 0;

/** The findings in answers of `kubectl`, and the text that remains to be read line by line. */
export function judgeAnswers(answers: readonly ToolRecording[]): {
  judged: JudgedObject[];
  /** The findings in tables of databases and brokers. */
  tables: { text: string; weight: number; kind: FailureKind; steps?: string }[];
  rest: ToolRecording[];
} {
  const { objects, read, rest } = recordedObjects(answers, READ_AT);
  const judged = judgeObjects(objects, READ_AT, read);
  const pods = { well: wellPods(objects), now: READ_AT };
  const explained = new Set(
    // The reason why a process ends again and again is found elsewhere.
    judged
      .filter(({ kind }) => kind !== undefined && kind !== 'crash-loop')
      .map((each) => keyOf(each)),
  );
  const warnings = objects.filter(
    (each) =>
      each.kind === 'Event' && !isHealed(each, pods) && !explained.has(keyOf(subjectOf(each))),
  );
  const tables = [...judgeSessions(answers), ...judgeQueues(answers)];
  return { judged, tables, rest: [...rest, ...describeObjects(warnings)] };
}

const keyOf = ({ name, namespace }: { name: string; namespace: string }): string =>
  `${namespace}/${name}`;
const subjectOf = ({ object }: KubernetesObject): { name: string; namespace: string } => {
  const about = fieldsOf(object['involvedObject'] ?? object['regarding']);
  return { name: textOf(about['name']), namespace: textOf(about['namespace']) };
};

/** The weight of a finding with a kind of failure, and of one without. */
const WEIGHTS = { critical: [9.5, 6], warning: [7, 2.5] } as const;
/** A process that ends again and again is a consequence of any cause. */
const LOOP_WEIGHT = 4;

/** The findings of the analysis of a live cluster that are failures. */
const judgeObjects = (
  objects: readonly KubernetesObject[],
  now: number,
  read?: ReadonlySet<string>,
): JudgedObject[] => analyzeKubernetes(objects, now, read).flatMap(ofFinding);

function ofFinding(found: KubernetesFinding): JudgedObject[] {
  const { kind, name, namespace, severity, title, detail, failureKind, steps } = found;
  if (severity === 'info') return [];
  const [known, unknown] = WEIGHTS[severity];
  const weight = failureKind === 'crash-loop' ? LOOP_WEIGHT : failureKind ? known : unknown;
  // A message that Kubernetes quotes may state what the state of the object does not show.
  const shown = failureKind ?? (severity === 'critical' ? judgeLine(detail).kind : undefined);
  const text = joinSentences(
    `${kind} ${namespace === '' ? '' : `${namespace}/`}${name} ${title}`,
    detail,
  );
  return [
    {
      text: text.replace('container  ', 'a container '),
      weight,
      name,
      namespace,
      ...(shown && { kind: shown }),
      ...(steps !== undefined && { steps }),
    },
  ];
}
