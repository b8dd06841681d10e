import type { ExportedTrace } from './span.js';

/** Sends traces to a collector. */
export interface SpanExporter {
  /**
   * Resolves when all spans were taken.
   * @throws Error if the collector refused them or was unavailable
   */
  export(trace: ExportedTrace): Promise<void>;
  close(): Promise<void>;
}
