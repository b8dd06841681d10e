import { shapeOf, some, type DiffView } from '../read-diff.js';
import type { Mechanism, MechanismKind } from './mechanism.js';

interface Setting {
  name: string;
  /** In base units: seconds, bytes. */
  value: number;
  text: string;
}

const SECONDS = {
  Nanosecond: 1e-9,
  Microsecond: 1e-6,
  Millisecond: 1e-3,
  Second: 1,
  Minute: 60,
  Hour: 3_600,
};
// prettier-ignore
const UNITS: Readonly<Record<string, number>> = {
  ...SECONDS, ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3_600, d: 86_400,
  Ki: 1_024, Mi: 1_048_576, Gi: 1_073_741_824, k: 1e3, M: 1e6, G: 1e9,
  kb: 1_024, mb: 1_048_576, gb: 1_073_741_824, KB: 1_024, MB: 1_048_576, GB: 1_073_741_824,
};

/** `key: 30 * time.Second`, `max_conns=50`, `const N = 8`, `"timeout": "30s"`. */
const ASSIGNED =
  /([A-Za-z_][\w.-]*)["']?\s*(?::=|[:=]{1,2}|\s)\s*(?:int\s*=\s*|time\.Duration\()?["']?(-?\d[\d_]*(?:\.\d+)?)\s*(ns|us|ms|kb|mb|gb|KB|MB|GB|Ki|Mi|Gi|s|m|h|d|k|M|G|%)?["']?(?:\s*\*\s*(?:time\.)?(Nanosecond|Microsecond|Millisecond|Second|Minute|Hour))?/g;
const NO_SETTING =
  /^(v|version|line|case|return|status|code|http|step|weight|size|radius|padding|margin)$/i;

/** `SetMaxOpenConns(50)`, `withTimeout(ctx, 5*time.Second)`. */
const PASSED =
  /([A-Za-z_][\w.]*)\(\s*(?:[A-Za-z_][\w.]*(?:\([^()]*\))?,\s*){0,2}(\d[\d_]*(?:\.\d+)?)(?:\s*\*\s*(?:time\.)?(Nanosecond|Microsecond|Millisecond|Second|Minute|Hour))?\s*[,)]/g;
const NO_SETTER =
  /^(if|for|make|len|append|Errorf|Printf|Sprintf|round|floor|ceil|Status|status|WriteHeader|Error|http|slice|substring|padStart|push|int|float)$/i;

const numberOf = (text: string): number => Number(text.replaceAll('_', ''));

/** The number in `http://payments:8080` and `kafka:9092` is a port, not the value of a setting. */
const ADDRESS = /\w{1,20}:\/\/[^\s"']+|(?<=[:=]\s*)[\w.-]{1,120}:\d{2,5}\b/g;

/** `-Xmx512m`: the heap of a JVM. */
const HEAP = /-(Xm[nsx])(\d{1,15})([kmg]?)\b/gi;

function settingsIn(all: readonly string[]): Setting[] {
  const lines = all.map((line) => line.replace(ADDRESS, ' '));
  const assigned = lines.flatMap((line) =>
    [...line.matchAll(ASSIGNED)].flatMap(([, name = '', text = '', suffix, unit]): Setting[] => {
      if (NO_SETTING.test(name)) return [];
      // `500m` is half a processor for processors, and 500 minutes for anything else.
      const thousandth = suffix === 'm' && unit === undefined && /cpu/i.test(name);
      const factor = thousandth ? 1e-3 : (UNITS[unit ?? suffix ?? ''] ?? 1);
      return [{ name, value: numberOf(text) * factor, text }];
    }),
  );
  const passed = lines.flatMap((line) =>
    [...line.matchAll(PASSED)].flatMap(([, called = '', text = '', unit]): Setting[] => {
      const name = called.split('.').at(-1) ?? called;
      if (NO_SETTER.test(name)) return [];
      const inName = /millis/i.test(name) ? 1e-3 : /minutes/i.test(name) ? 60 : 1;
      return [{ name, value: numberOf(text) * (UNITS[unit ?? ''] ?? inName), text }];
    }),
  );
  const heap = lines.flatMap((line) =>
    [...line.matchAll(HEAP)].map(([, name = '', text = '', unit = '']): Setting => ({
      name,
      text,
      value: numberOf(text) * (UNITS[`${unit.toLowerCase()}b`] ?? 1),
    })),
  );
  return [...assigned, ...passed, ...heap];
}

const LIMIT =
  /max|limit|pool|conn|worker|thread|concurren|parallel|capacity|quota|replica|memory|heap|mem\b|cpu|buffer|queue|size|slots?|budget|ceiling|burst|inflight|open.?files|fd|permits/i;
const TIME =
  /timeout|deadline|ttl|expir|interval|period|delay|backoff|wait|keepalive|idle|age|window|lease|grace/i;

/** The meaning of a setting, by its name; the first pattern that matches counts. */
// A table: one line for each row.
// prettier-ignore
const BY_NAME: readonly [RegExp, raised: MechanismKind, lowered: MechanismKind][] = [
  [/retention/i, 'retention-raised', 'constant-changed'],
  [/back-?_?off/i, 'interval-raised', 'backoff-removed'],
  [/retr|attempt/i, 'retries-raised', 'retries-lowered'],
  [/batch|chunk|prefetch|fetch.?size|page.?size|poll.?records|per.?page/i, 'batch-raised', 'batch-lowered'],
  [/ttl|expir|max.?age|cache.*(time|sec)/i, 'ttl-raised', 'ttl-lowered'],
  // Connections that are kept for the next request.
  [/idle.?conn|(max|min).?idle(?!.?(time|age))|keepalive_?(connections|requests)/i, 'connections-raised', 'connection-reuse-removed'],
  [/health.?check/i, 'interval-raised', 'interval-lowered'],
  [/idle|keep.?alive/i, 'interval-raised', 'idle-time-lowered'],
  [/timeout|deadline|lease|grace/i, 'timeout-raised', 'timeout-lowered'],
  [/interval|period|every|tick|delay|poll/i, 'interval-raised', 'interval-lowered'],
  [/mem(ory)?|heap|xm[nsx]|old.?space|ram.?percentage|metaspace/i, 'limit-raised', 'memory-limit-lowered'],
  [/cpu|maxprocs/i, 'limit-raised', 'cpu-limit-lowered'],
  [/nofile|open.?files|descriptors/i, 'limit-raised', 'descriptors-lowered'],
  [/replica|desired.?(count|capacity)|(min|max).?capacity|(num|min|max).?(instances|pods|tasks)|(instance|task|pod).?count/i, 'instances-raised', 'instances-lowered'],
  // A server shares its connections among all clients: a client that uses more leaves fewer to the
  // others.
  [/conn|pool/i, 'connections-raised', 'limit-lowered'],
  [/concurren|parallel|in.?flight|workers?(?!.?(memory|timeout))|semaphore/i, 'concurrency-raised', 'limit-lowered'],
  [/(hash|bcrypt|scrypt|argon|salt|pbkdf|compress).*(cost|rounds|iterations|level)|^(cost|rounds|iterations)$/i, 'cpu-heavier', 'constant-changed'],
  [/rate|rps|qps|iops|throughput|bandwidth/i, 'limit-raised', 'limit-lowered'],
  [LIMIT, 'limit-raised', 'limit-lowered'],
  [TIME, 'timeout-raised', 'timeout-lowered'],
  [/port/i, 'address-changed', 'address-changed'],
];

/** Settings of a probe of Kubernetes limit no request. */
const OF_PROBE =
  /^(timeout|period|initialDelay|terminationGracePeriod)Seconds$|^(failure|success)Threshold$/;
const PROBE = /\b(liveness|readiness|startup)Probe\b/;

function kindOf(name: string, raised: boolean): MechanismKind {
  const row = BY_NAME.find(([pattern]) => pattern.test(name));
  return row === undefined ? 'constant-changed' : raised ? row[1] : row[2];
}

const baseName = (path: string): string => (path.split('/').at(-1) ?? path).replace(/\.\w+$/, '');

/**
 * The setting of the same name after a change. Blocks repeat names, like `requests` and `limits` of
 * Kubernetes: they are distinguished by their order.
 */
function sameSetting(
  before: readonly Setting[],
  index: number,
  after: readonly Setting[],
): Setting | undefined {
  const { name } = before[index] ?? {};
  const earlier = before.slice(0, index).filter((each) => each.name === name).length;
  return after.filter((each) => each.name === name)[earlier];
}

/** Settings with a changed value. */
export function changedSettings({ removed, added, context, kinds, files }: DiffView): Mechanism[] {
  if (
    kinds.length > 0 &&
    kinds.every((kind) => kind === 'style' || kind === 'ui' || kind === 'deps')
  )
    return [];
  const before = settingsIn(removed);
  const after = settingsIn(added);
  const [line = '', other = ''] = [removed[0], added[0]];
  const alone = before.length === 1 && after.length === 1 && shapeOf(line) === shapeOf(other);
  const ofProbe = some([...context, ...removed, ...added], PROBE);
  return before.flatMap(({ name, value: from }, i): Mechanism[] => {
    const found = sameSetting(before, i, after) ?? (alone ? after[0] : undefined);
    if (found === undefined || found.value === from) return [];
    const namesFiles = kinds.includes('code') || kinds.includes('config');
    const about = `${name} ${namesFiles ? files.map(baseName).join(' ') : ''}`;
    const numbers = { from, to: found.value, toText: found.text };
    const probes = ofProbe && OF_PROBE.test(name);
    const kind = probes ? 'probe-changed' : kindOf(name, found.value > from);
    return [{ kind, about, numbers }];
  });
}

/** Sizes of machines of AWS (`db.r6g.2xlarge`), smallest first. */
const SIZES = ['nano', 'micro', 'small', 'medium', 'large', 'xlarge'];
const MACHINE =
  /(?<![\w.])(?:instance_?(?:class|type)|machine_?type|node_?type|vm_?size|sku|tier|size)\w*["']?\s*[:=]\s*["']?([\w.-]{4,60})/i;

function sizeOf(machine: string): number | undefined {
  const [, times = '1', name] =
    /[.-](\d{0,2})(nano|micro|small|medium|large|xlarge)$/i.exec(machine) ?? [];
  if (name !== undefined) return 2 ** SIZES.indexOf(name.toLowerCase()) * Number(times || 1);
  const processors = /(?:standard|highmem|highcpu|custom|_[A-Z]+)[-_]?(\d{1,3})/i.exec(
    machine,
  )?.[1];
  return processors === undefined ? undefined : Number(processors);
}

/** Machines that are smaller than before. */
export function changedMachines({ removed, added }: DiffView): Mechanism[] {
  const machineIn = (lines: readonly string[]) =>
    lines.flatMap((line) => MACHINE.exec(line)?.[1] ?? [])[0];
  const [from, to] = [machineIn(removed), machineIn(added)];
  const [before, after] = [sizeOf(from ?? ''), sizeOf(to ?? '')];
  return before !== undefined && after !== undefined && after < before
    ? [{ kind: 'machine-smaller', about: `${from} ${to}`, literals: [to ?? ''] }]
    : [];
}
