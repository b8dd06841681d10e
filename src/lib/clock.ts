/** The time that all processes of the service agree on, for deadlines, leases and waits. */
export abstract class Clock {
  /** ms since the epoch. */
  abstract now(): number;
}
