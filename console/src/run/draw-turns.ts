/** A part of a page that is behind. */
interface Waiting {
  draw: () => void;
  /** Not drawn earlier: ms, on the clock of the frames. */
  notBefore: number;
}

/**
 * Draws the slower parts of a page, one in a frame: together they cost more than a frame has room
 * for.
 */
export class DrawTurns {
  private readonly waiting = new Set<Waiting>();

  /** Whether parts wait that have not been drawn. */
  get areWaited(): boolean {
    return this.waiting.size > 0;
  }

  /** Draws a part once, in a frame of its own. @returns how to give the turn up */
  ask(draw: () => void, notBefore: number): () => void {
    const part = { draw, notBefore };
    this.waiting.add(part);
    return () => this.waiting.delete(part);
  }

  /** Whether a part is due in this frame. */
  areDue(now: number): boolean {
    return this.next(now) !== undefined;
  }

  /** Draws the part that has waited longest of those that are due. */
  take(now: number): void {
    const part = this.next(now);
    if (!part) return;
    this.waiting.delete(part);
    part.draw();
  }

  private next(now: number): Waiting | undefined {
    return [...this.waiting].find(({ notBefore }) => notBefore <= now);
  }
}
