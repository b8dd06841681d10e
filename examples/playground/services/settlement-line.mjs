/**
 * The one line to the bank. It carries one batch at a time; payments that come meanwhile wait and
 * go together in the next. So a payment takes between one and two batches, however many there are
 * at once: with a line that needs 1,200 ms for a batch, 1.2 to 2.4 s.
 */
export class SettlementLine {
  #waiting = [];
  #busy = false;

  /** @param {number} batchMs ms until the bank acknowledges a batch */
  constructor(batchMs) {
    this.batchMs = batchMs;
  }

  /** Resolves when the bank has acknowledged the batch that contains this payment. */
  settle(payment) {
    return new Promise((resolve) => {
      this.#waiting.push({ payment, resolve });
      if (!this.#busy) void this.#run();
    });
  }

  async #run() {
    this.#busy = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      await new Promise((acknowledged) => setTimeout(acknowledged, this.batchMs));
      for (const { resolve } of batch) resolve();
    }
    this.#busy = false;
  }
}
