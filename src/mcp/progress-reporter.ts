/** A host gets at most one message in this time. */
const INTERVAL_MS = 500;
/** Silence after which a host gets a heartbeat, so that it does not time out. */
const HEARTBEAT_MS = 10_000;

interface Notification {
  method: 'notifications/progress';
  params: { progressToken: string | number; progress: number; message: string };
}

/**
 * Sends `notifications/progress` of a run to an MCP host: at most two a second, and a heartbeat
 * after ten seconds of silence. The progress is the sequence of the event; a heartbeat adds a
 * fraction, because progress must rise with each message (MCP, Utilities/Progress).
 */
export class ProgressReporter {
  private timer: NodeJS.Timeout | undefined;
  private sent = { progress: 0, message: 'Waiting', at: -Infinity };

  /** @param token of the request; without one the host does not want progress */
  constructor(
    private readonly token: string | number | undefined,
    private readonly notify: (notification: Notification) => Promise<void>,
  ) {
    this.restart();
  }

  report(sequence: number, message: string): void {
    if (performance.now() - this.sent.at < INTERVAL_MS) return;
    this.send(Math.max(sequence, this.sent.progress + 1e-6), message);
  }

  close(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private restart(): void {
    if (this.token === undefined) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(
      () => this.send(this.sent.progress + 0.001, this.sent.message),
      HEARTBEAT_MS,
    );
    this.timer.unref();
  }

  private send(progress: number, message: string): void {
    if (this.token === undefined) return;
    this.sent = { progress, message, at: performance.now() };
    this.restart();
    const params = { progressToken: this.token, progress, message };
    // A host that has disconnected ends the request by its signal.
    this.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  }
}
