/** Search parameters of the pages; what has not the expected form is left out. */

export type RawSearch = Record<string, unknown>;

const text = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

const positive = (value: unknown): number | undefined => {
  const read = Number(value);
  return Number.isInteger(read) && read > 0 ? read : undefined;
};

/** Without the keys whose value is undefined, so that addresses stay short. */
function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as never;
}

export const LOG_FILTERS = ['problems', 'tools', 'dispatch', 'model', 'system'] as const;
export type LogFilter = (typeof LOG_FILTERS)[number];
export type LogMode = 'all' | 'json';

const oneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((known) => known === value);

export interface RunsSearch {
  status?: string;
  kind?: 'chat' | 'all';
  topology?: number;
  q?: string;
}

export const runsSearch = (raw: RawSearch): RunsSearch =>
  defined({
    status: text(raw['status']),
    kind: oneOf(['chat', 'all'] as const, raw['kind']),
    topology: positive(raw['topology']),
    q: text(raw['q']),
  });

/** `at`: the event that the replay stands at; `show`, `q`, `mode`: what the log shows. */
export interface RunSearch {
  at?: number;
  view?: 'log';
  node?: string;
  show?: LogFilter;
  mode?: LogMode;
  q?: string;
}

export const runSearch = (raw: RawSearch): RunSearch =>
  defined({
    at: positive(raw['at']),
    view: raw['view'] === 'log' ? ('log' as const) : undefined,
    node: text(raw['node']),
    show: oneOf(LOG_FILTERS, raw['show']),
    mode: oneOf(['all', 'json'] as const, raw['mode']),
    q: text(raw['q']),
  });

export interface DiagnoseSearch {
  topology?: number;
  message?: string;
  /** Ids of the nodes to look at; left out: all. */
  nodes?: string[];
}

export const diagnoseSearch = (raw: RawSearch): DiagnoseSearch =>
  defined({
    topology: positive(raw['topology']),
    message: text(raw['message']),
    nodes: Array.isArray(raw['nodes']) ? raw['nodes'].flatMap((id) => text(id) ?? []) : undefined,
  });
