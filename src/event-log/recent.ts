/** Keeps what was used last, within a size. */
export class Recent<Value> {
  private readonly entries = new Map<string, { value: Value; size: number }>();
  private size = 0;

  constructor(private readonly mostSize: number) {}

  get(key: string): Value | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    // To the end: the first is the one that was used longest ago.
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: Value, size: number): void {
    this.delete(key);
    if (size > this.mostSize) return;
    this.entries.set(key, { value, size });
    this.size += size;
    for (const [oldest] of this.entries) {
      if (this.size <= this.mostSize) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.size -= this.entries.get(key)?.size ?? 0;
    this.entries.delete(key);
  }
}
