import type { Fields } from '../../domain/kubernetes/fields.js';
import { isoOf, msOfTime } from './age.js';
import { byKey, type Entry, outline, valuesOf } from './outline.js';

type Entries = ReadonlyMap<string, Entry>;

/** The specification of a pod, or of the pods that a workload makes. */
export const podSpecOf = (entries: Entries): Fields => ({
  containers: containersIn(entries.get('Containers')).map(specOf),
  initContainers: containersIn(entries.get('Init Containers')).map(specOf),
});

/** @param shift ms from times of the text to those of the incident */
export const podStatusOf = (entries: Entries, shift: number): Fields => ({
  phase: phaseOf(entries.get('Status')?.value ?? ''),
  reason: entries.get('Reason')?.value ?? '',
  message: entries.get('Message')?.value ?? '',
  containerStatuses: containersIn(entries.get('Containers')).map((each) => statusOf(each, shift)),
  initContainerStatuses: containersIn(entries.get('Init Containers')).map((each) =>
    statusOf(each, shift),
  ),
});

/** `Terminating (lasts 5m)` */
const phaseOf = (status: string): string => status.split(' ')[0] ?? '';

interface Container {
  name: string;
  entries: Entries;
}

const containersIn = (entry: Entry | undefined): Container[] =>
  outline(entry?.below ?? []).map(({ key, below }) => ({
    name: key,
    entries: byKey(outline(below)),
  }));

const specOf = ({ name, entries }: Container): Fields => ({
  name,
  image: entries.get('Image')?.value ?? '',
  command: valuesOf(entries.get('Command')),
  args: valuesOf(entries.get('Args')),
  env: outline(entries.get('Environment')?.below ?? []).map(({ key, value }) => ({
    name: key,
    value,
  })),
  ports: portsIn(entries.get('Port') ?? entries.get('Ports')),
  ...probeOf('readinessProbe', entries.get('Readiness')),
  ...probeOf('livenessProbe', entries.get('Liveness')),
  ...probeOf('startupProbe', entries.get('Startup')),
});

/** `8080/TCP, 9090/TCP (metrics)` */
const portsIn = (entry: Entry | undefined): Fields[] =>
  [...(entry?.value ?? '').matchAll(/(\d{1,5})\/[A-Z]+(?: \(([\w-]{1,63})\))?/g)].map(
    ([, port, name]) => ({ containerPort: Number(port), ...(name !== undefined && { name }) }),
  );

/** `http-get http://:8081/ready delay=20s …`, `tcp-socket :8080 …`, `grpc <pod>:9000 …` */
function probeOf(field: string, entry: Entry | undefined): Fields {
  const value = entry?.value ?? '';
  const port =
    /^http-get https?:\/\/[^:/\s]*:([\w-]{1,63})/.exec(value)?.[1] ??
    /^tcp-socket [^:\s]*:([\w-]{1,63})/.exec(value)?.[1] ??
    /^grpc \S*:(\d{1,5})/.exec(value)?.[1];
  if (port === undefined) return {};
  return { [field]: { tcpSocket: { port: /^\d+$/.test(port) ? Number(port) : port } } };
}

function statusOf({ name, entries }: Container, shift: number): Fields {
  return {
    name,
    restartCount: Number(entries.get('Restart Count')?.value ?? 0),
    ready: entries.get('Ready')?.value === 'True',
    state: stateOf(entries.get('State'), shift),
    lastState: stateOf(entries.get('Last State'), shift),
  };
}

function stateOf(entry: Entry | undefined, shift: number): Fields {
  const state = entry?.value.toLowerCase() ?? '';
  const parts = byKey(outline(entry?.below ?? []));
  const at = (key: string) => isoOf(msOfTime(parts.get(key)?.value ?? '') + shift);
  const said = { reason: parts.get('Reason')?.value ?? '', message: messageOf(parts) };
  switch (state) {
    case 'waiting':
      return { waiting: said };
    case 'running':
      return { running: { startedAt: at('Started') } };
    case 'terminated':
      return {
        terminated: {
          ...said,
          exitCode: Number(parts.get('Exit Code')?.value ?? 0),
          startedAt: at('Started'),
          finishedAt: at('Finished'),
        },
      };
    default:
      return {};
  }
}

/** A message may have several lines. */
const messageOf = (parts: Entries): string => valuesOf(parts.get('Message')).join(' ');
