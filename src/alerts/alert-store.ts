import type { Alert } from './alert.js';

/** Identifies a topology. */
export interface TopologyKey {
  tenant: string;
  id: number;
}

/**
 * Stores which alerts belong to which run. The stored data only saves work: the log of a run
 * decides whether an alert was recorded in it. Implementations: `RedisAlertStore`, and one in
 * memory for tests.
 */
export abstract class AlertStore {
  /** The run that alerts of a topology started last, for a day. */
  abstract runOf(topology: TopologyKey): Promise<string | undefined>;

  /**
   * Makes a run the one of a topology, if it still is the run `before`.
   * @returns the run of the topology, which another process may have named
   */
  abstract claim(
    topology: TopologyKey,
    run: { before: string | undefined; next: string },
  ): Promise<string>;

  /** The alerts of a run, by fingerprint, in the last state that was reported. */
  abstract alertsOf(runId: string): Promise<Map<string, Alert>>;

  abstract record(runId: string, alerts: readonly Alert[]): Promise<void>;

  /**
   * Counts a delivery that changes the alerts of a run.
   * @returns how many there were, this one included
   */
  abstract countChange(runId: string): Promise<number>;

  /**
   * The answer to a delivery that was handled before.
   * @param id of the delivery, from its signature
   */
  abstract answered(id: string): Promise<string | undefined>;

  abstract rememberAnswer(id: string, answer: string): Promise<void>;
}
