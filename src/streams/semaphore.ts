/** Lets a number of tasks through at a time; the others wait in line. */
export class Gate {
  private free: number;
  private readonly line: (() => void)[] = [];

  constructor(places: number) {
    this.free = places;
  }

  async pass<T>(task: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.line.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.line.shift();
      if (next) next();
      else this.free++;
    }
  }
}
