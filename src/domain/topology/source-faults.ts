import type { Steps } from '../../lib/steps.js';
import { allowed, quote } from '../../lib/text.js';
import { EVERYTHING, workloadIn } from '../kubernetes/workload.js';
import type { FaultList } from '../fault-list.js';
import type { TopologyNode, TopologySource } from './topology.js';
import type { NodeSketch } from './topology-sketch.js';

/** A matcher of a label in PromQL: `job="api"`, `env=~"prod|test"`. */
const MATCHER = String.raw`\s*[a-zA-Z_]\w{0,99}\s*(?:=~|!~|!=|=)\s*"(?:[^"\\\n]|\\.){0,500}"\s*`;
const MATCHERS = new RegExp(`^${MATCHER}(?:,${MATCHER}){0,20}$`);
/** A selector of streams in LogQL: the same in braces. */
const STREAMS = new RegExp(`^\\{${MATCHER}(?:,${MATCHER}){0,20}\\}$`);

/** `field=value`, several joined by commas. */
const TERM = String.raw`\s*[\w@][\w@.-]{0,99}\s*=[^\p{Cc},=]{1,200}`;
const TERMS = new RegExp(`^${TERM}(?:,${TERM}){0,9}$`, 'u');

/** Names of Kubernetes: a namespace and an object. */
const APPLICATION =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\/)?[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;

const REPOSITORY = /^[\w.-]{1,100}\/[\w.-]{1,100}(?:\/[\w./-]{1,300})?$/;

const FOLDER = /^[^\p{Cc}/][^\p{Cc}]{0,299}$/u;
const STEPS_OUT = /(?:^|\/)\.{1,2}(?:\/|$)/;

const SERVICE = {
  form: 'the name of a service in traces (service.name), at most 200 characters',
  fits: (selector: string) => /^[^\p{Cc}"\\]{1,200}$/u.test(selector),
};

const LABELS = {
  form: 'matchers of labels, such as job="api",env="prod"',
  fits: (selector: string) => MATCHERS.test(selector),
};

const DATABASE = {
  form: 'the name of a database, or * for that of the source',
  fits: (selector: string) => /^(?:\*|[\w$-]{1,63})$/.test(selector),
};

/** The form of a selector, by the kind of its source. */
const SELECTORS: Readonly<
  Record<
    Exclude<TopologySource['kind'], 'recording'>,
    { form: string; fits: (selector: string) => boolean }
  >
> = {
  prometheus: LABELS,
  alertmanager: LABELS,
  loki: {
    form: 'a selector of streams, such as {app="api",env="prod"}',
    fits: (selector) => STREAMS.test(selector),
  },
  elasticsearch: {
    form: 'values of fields, such as service.name=api,env=prod',
    fits: (selector) => TERMS.test(selector),
  },
  journald: {
    form: 'the name of a unit, such as nginx.service, or * for everything',
    fits: (selector) => /^(?:\*|[\w@.:\\-]{1,255})$/.test(selector),
  },
  logfile: { form: '*, for all lines of the file', fits: (selector) => selector === '*' },
  tempo: SERVICE,
  jaeger: SERVICE,
  postgres: DATABASE,
  mysql: DATABASE,
  github: {
    form: 'OWNER/REPOSITORY, or OWNER/REPOSITORY/FOLDER for the commits that touch a folder',
    fits: (selector) => REPOSITORY.test(selector) && !STEPS_OUT.test(selector),
  },
  argocd: {
    form: 'the name of an application, or NAMESPACE/NAME',
    fits: (selector) => APPLICATION.test(selector),
  },
  grafana: {
    form: 'tags of annotations, joined by commas',
    fits: (selector) => /^[^\p{Cc},]{1,100}(?:,[^\p{Cc},]{1,100}){0,9}$/u.test(selector),
  },
  git: {
    form: 'a folder of the repository, for the commits that touch it, or * for all of them',
    fits: (selector) => FOLDER.test(selector) && !STEPS_OUT.test(selector),
  },
  'elasticsearch-cluster': { form: '*, for the cluster', fits: (selector) => selector === '*' },
  rabbitmq: {
    form: 'the name of a virtual host, or * for all of them',
    fits: (selector) => /^[^\p{Cc}]{1,200}$/u.test(selector),
  },
  kafka: {
    form: 'names of consumer groups, joined by commas, or * for all of them',
    fits: (selector) => /^[^\p{Cc},\s]{1,249}(?:,[^\p{Cc},\s]{1,249}){0,99}$/u.test(selector),
  },
  mcp: {
    form: 'what tools call {selector}, at most 200 characters without control characters',
    fits: (selector) => /^[^\p{Cc}]{1,200}$/u.test(selector),
  },
  kubernetes: {
    form: 'a workload such as deployment/orders or shop/deployment/orders, or * for all objects',
    fits: (selector) => selector === EVERYTHING || workloadIn(selector) !== undefined,
  },
};

/** Kinds in which tools look a node up: of several sources, they would read only the first. */
const ONE_FOR_NODE: ReadonlySet<TopologySource['kind']> = new Set([
  'kubernetes',
  'alertmanager',
  'postgres',
  'mysql',
  'rabbitmq',
  'kafka',
  'elasticsearch-cluster',
]);

/** Adds the faults between sources and the nodes that select from them. */
export function* sourceFaults(
  sketch: readonly NodeSketch[],
  nodes: ReadonlyMap<string, TopologyNode>,
  sources: readonly TopologySource[],
  faults: FaultList,
): Steps<void> {
  const live = new Map(
    sources.flatMap(({ id, kind }) => (kind === 'recording' ? [] : [[id, SELECTORS[kind]]])),
  );
  const kinds = new Map(sources.map(({ id, kind }) => [id, kind]));
  const used = new Set<string>();
  for (const [index, { id }] of sketch.entries()) {
    const chosen = new Map<TopologySource['kind'], string>();
    for (const [source, selector] of Object.entries(nodes.get(id ?? '')?.in ?? {})) {
      yield;
      used.add(source);
      const path = `nodes[${index}].in.${source}`;
      const form = live.get(source);
      if (form === undefined && !kinds.has(source))
        faults.add(
          path,
          () => `there is no source ${quote(source)}; ${allowed(source, [...live.keys()])}`,
        );
      else if (form && !form.fits(selector)) faults.add(path, `must be ${form.form}`);
      const kind = kinds.get(source);
      if (kind === undefined || !ONE_FOR_NODE.has(kind)) continue;
      const first = chosen.get(kind);
      if (first === undefined) chosen.set(kind, source);
      else
        faults.add(
          path,
          () =>
            `a node is looked up in one source of kind ${kind}: choose ${quote(first)} or ${quote(source)}`,
        );
    }
  }
  sources.forEach(({ id, kind }, index) => {
    if (sources.findIndex((each) => each.id === id) < index)
      faults.add(`sources[${index}].id`, () => `${quote(id)} is the id of another source already`);
    else if (kind !== 'recording' && !used.has(id))
      faults.add(`sources[${index}]`, 'no node uses it: give a node a selector for it in `in`');
  });
}
