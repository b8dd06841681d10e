/**
 * Search parameters of the pages. A value of another form becomes undefined and is not left out,
 * because the router would keep what the address has.
 */

export type RawSearch = Record<string, unknown>;

const text = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

const positive = (value: unknown): number | undefined => {
  const read = Number(value);
  return Number.isInteger(read) && read > 0 ? read : undefined;
};

export const LOG_FILTERS = ['problems', 'tools', 'dispatch', 'model', 'system'] as const;
export type LogFilter = (typeof LOG_FILTERS)[number];
export type LogMode = 'all' | 'json';

const oneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((known) => known === value);

export interface RunsSearch {
  status?: string | undefined;
  kind?: 'chat' | 'all' | undefined;
  topology?: number | undefined;
  q?: string | undefined;
}

export const runsSearch = (raw: RawSearch): RunsSearch => ({
  status: text(raw['status']),
  kind: oneOf(['chat', 'all'] as const, raw['kind']),
  topology: positive(raw['topology']),
  q: text(raw['q']),
});

/** `at`: the event that the replay stands at; `show`, `q`, `mode`: what the log shows. */
export interface RunSearch {
  at?: number | undefined;
  view?: 'log' | undefined;
  node?: string | undefined;
  show?: LogFilter | undefined;
  mode?: LogMode | undefined;
  q?: string | undefined;
}

export const runSearch = (raw: RawSearch): RunSearch => ({
  at: positive(raw['at']),
  view: raw['view'] === 'log' ? ('log' as const) : undefined,
  node: text(raw['node']),
  show: oneOf(LOG_FILTERS, raw['show']),
  mode: oneOf(['all', 'json'] as const, raw['mode']),
  q: text(raw['q']),
});

export interface DiagnoseSearch {
  topology?: number | undefined;
  message?: string | undefined;
  /** Ids of the nodes to look at; left out: all. */
  nodes?: string[] | undefined;
}

export const diagnoseSearch = (raw: RawSearch): DiagnoseSearch => ({
  topology: positive(raw['topology']),
  message: text(raw['message']),
  nodes: Array.isArray(raw['nodes']) ? raw['nodes'].flatMap((id) => text(id) ?? []) : undefined,
});
