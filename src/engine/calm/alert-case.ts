import type { AlertRecord, IncidentFrame, Series } from '../../domain/telemetry/records.js';
import type { MovedSeries, Observations } from '../observations.js';
import type { LogTemplate } from '../logs/log-templates.js';

/** What is out of the ordinary, of whichever node. */
export interface Unusual {
  moved: readonly MovedSeries[];
  /** Errors and warnings that are new, or much more frequent. */
  complaints: readonly LogTemplate[];
  /** Of a node without a path to the one that the main alert is about. */
  isFar: (node: string | undefined) => boolean;
}

/** An alert, and what can be held against it. */
export interface AlertCase {
  seen: Observations;
  frame: IncidentFrame;
  alert: AlertRecord;
  /** What the alert is about. */
  node: string;
  /** The series of the node that the alert names. */
  named: readonly Series[];
  unusual: Unusual;
}
