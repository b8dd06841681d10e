import type { AlertRecord, IncidentFrame, Series } from '../../domain/telemetry/records.js';
import type { MovedSeries, Observations } from '../observations.js';
import type { LogTemplate } from '../logs/log-templates.js';

/** The anomalies of any node. */
export interface Unusual {
  moved: readonly MovedSeries[];
  /** Errors and warnings that are new, or much more frequent. */
  complaints: readonly LogTemplate[];
  /** Those of nodes without a path to the one that the main alert is about. */
  isFar: (node: string | undefined) => boolean;
}

/** An alert, and the telemetry that may refute it. */
export interface AlertCase {
  seen: Observations;
  frame: IncidentFrame;
  alert: AlertRecord;
  /** The node that the alert is about. */
  node: string;
  /** The series of the node that the alert names. */
  named: readonly Series[];
  unusual: Unusual;
}
