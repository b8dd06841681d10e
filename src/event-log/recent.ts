/** Keeps what was used last, within a size, for as long as it is used now and then. */
export class Recent<Value> {
  private readonly entries = new Map<string, { value: Value; size: number; usedAt: number }>();
  private size = 0;

  /**
   * @param mostMs what was not used for so long goes when something new comes
   * @param now ms, monotonic
   */
  constructor(
    private readonly mostSize: number,
    private readonly mostMs: number,
    private readonly now = () => performance.now(),
  ) {}

  get(key: string): Value | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    // To the end: the first is the one that was used longest ago.
    this.entries.delete(key);
    this.entries.set(key, { ...entry, usedAt: this.now() });
    return entry.value;
  }

  set(key: string, value: Value, size: number): void {
    this.delete(key);
    const usedAt = this.now();
    if (size <= this.mostSize) {
      this.entries.set(key, { value, size, usedAt });
      this.size += size;
    }
    for (const [oldest, entry] of this.entries) {
      if (this.size <= this.mostSize && usedAt - entry.usedAt <= this.mostMs) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.size -= this.entries.get(key)?.size ?? 0;
    this.entries.delete(key);
  }
}
