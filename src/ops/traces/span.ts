/** Values of attributes; a list has texts only. */
export type Attributes = Record<string, string | number | boolean | string[]>;

/** A part of a run, as it is exported. */
export interface ExportedSpan {
  /** 16 hexadecimal digits. */
  spanId: string;
  /** Undefined for the span of a run that no trace of a caller contains. */
  parentId?: string;
  name: string;
  /** A call of a model leaves the process. */
  kind: 'internal' | 'client';
  /** ms since 1970, by the log's clock. */
  start: number;
  end: number;
  attributes: Attributes;
  /** The reason why it failed, a code. */
  error?: string;
  /** Moments of it; `name` is a code. */
  events: { name: string; at: number }[];
}

/** The spans of one run. */
export interface ExportedTrace {
  /** 32 hexadecimal digits. */
  traceId: string;
  spans: ExportedSpan[];
}
