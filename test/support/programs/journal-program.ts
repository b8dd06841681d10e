import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const WRITER = '/lib/systemd/systemd-journal-remote';

/** Whether journals can be written and read (Debian: `apt-get install systemd-journal-remote`). */
export const hasJournal = (): boolean =>
  existsSync(WRITER) && spawnSync('which', ['journalctl']).status === 0;

/** An entry of a journal: ms since 1970, and its fields. A field of bytes is written as bytes. */
export interface JournalEntry {
  at: number;
  fields: Record<string, string | Buffer>;
}

/** Writes a real journal into a folder: https://systemd.io/JOURNAL_EXPORT_FORMATS/ */
export function writeJournal(folder: string, entries: readonly JournalEntry[]): void {
  const input = Buffer.concat(entries.map(exported));
  const args = ['--output', join(folder, 'remote-shop.journal'), '-'];
  execFileSync(WRITER, args, { input, stdio: ['pipe', 'ignore', 'pipe'] });
}

function exported({ at, fields }: JournalEntry): Buffer {
  const own = {
    __REALTIME_TIMESTAMP: String(at * 1_000),
    __MONOTONIC_TIMESTAMP: String(at * 1_000 - 1e15),
    _BOOT_ID: 'b'.repeat(32),
  };
  const all: JournalEntry['fields'] = { ...own, ...fields };
  const parts = Object.entries(all).map(([name, value]) => {
    if (typeof value === 'string') return Buffer.from(`${name}=${value}\n`);
    const size = Buffer.alloc(8);
    size.writeBigUInt64LE(BigInt(value.length));
    return Buffer.concat([Buffer.from(`${name}\n`), size, value, Buffer.from('\n')]);
  });
  return Buffer.concat([...parts, Buffer.from('\n')]);
}
