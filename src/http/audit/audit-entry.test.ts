import { describe, expect, it } from '@jest/globals';
import { auditEntry, chained, isIntact, type AuditRecord } from './audit-entry.js';

const record = (path: string): AuditRecord => ({
  at: '2026-11-22T22:00:00.000Z',
  tenant: 'acme',
  principal: 'ann',
  keyId: 'k',
  action: 'topologies:write',
  method: 'PUT',
  path,
  status: 200,
  address: '10.0.0.1',
});

describe('a chain of entries', () => {
  const first = chained(record('/topologies/1'), '');
  const second = chained(record('/topologies/2'), first.hash);

  it('is intact as it was written', () => {
    expect(isIntact(first, '')).toBe(true);
    expect(isIntact(second, first.hash)).toBe(true);
    expect(isIntact(second, undefined)).toBe(true);
    expect(isIntact(auditEntry.parse(JSON.parse(JSON.stringify(second))), first.hash)).toBe(true);
  });

  it.each<[string, Partial<AuditRecord>]>([
    ['another principal', { principal: 'bob' }],
    ['another path', { path: '/topologies/3' }],
    ['another time', { at: '2026-11-22T22:00:01.000Z' }],
    ['another status', { status: 403 }],
    ['another id of the request', { requestId: 'r2' }],
  ])('is broken by %s', (_, change) => {
    expect(isIntact({ ...second, ...change }, first.hash)).toBe(false);
  });

  it('is broken where an entry is missing, or was put in', () => {
    expect(isIntact(second, '')).toBe(false);
    expect(isIntact(chained(record('/topologies/1'), ''), second.hash)).toBe(false);
  });
});
