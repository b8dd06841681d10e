/** Shortest time between two drawings of a live page: every third frame at 60 Hz. */
const DRAW_MS = 45;
/** While more events than these wait, the page is drawn only every `RARE_MS`. */
const BACKLOG = 2_000;
const RARE_MS = 250;
const LONGEST_BREAK_MS = 200;

/**
 * Decides when the page of a run is drawn: at once after a pause, then no more often than people
 * see, and after a picture only after as long again as it took. Times in ms, on one clock.
 */
export class DrawPace {
  private drawnAt = -Infinity;
  private notBefore = -Infinity;

  /** Whether the page is to be drawn now, while so many events wait to be folded. */
  isDue(now: number, backlog: number): boolean {
    return now >= this.notBefore && now - this.drawnAt >= (backlog > BACKLOG ? RARE_MS : DRAW_MS);
  }

  begins(now: number): void {
    this.drawnAt = now;
  }

  /** The picture that took so long is done. */
  ended(now: number, tookMs: number): void {
    this.notBefore = now + Math.min(LONGEST_BREAK_MS, tookMs);
  }
}
