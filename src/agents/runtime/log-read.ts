import type { Measurement } from '../../domain/diagnosis/measurement.js';
import type { DraftEvent, RunEvent } from '../../domain/events/event.js';
import type { RunMeasurements } from '../../event-log/log-port.js';

/**
 * Events of an agent after which the log may have more dispatches, reports or results than it has
 * read.
 */
const CHANGES = /^(?:dispatch\.|llm\.tool_result$)/;

/** What a session has read from the log, to avoid reading it again. */
export class LogRead {
  /** Dispatches and reports, by sequence. */
  readonly reports = new Map<number, RunEvent>();
  /** Measurements, by sequence. */
  readonly measured = new Map<number, Measurement | undefined>();
  /**
   * All dispatches and reports below the agent, and all results there, once all agents that it has
   * dispatched have reported: an agent that has reported records nothing more, and neither do those
   * below it.
   */
  whole: { reports?: RunEvent[]; results?: RunMeasurements } = {};

  /** The agent has recorded these events. */
  note(events: readonly Pick<DraftEvent, 'name'>[]): void {
    if (events.some(({ name }) => CHANGES.test(name))) this.whole = {};
  }
}
