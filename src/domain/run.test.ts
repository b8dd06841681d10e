import { expect, it } from '@jest/globals';
import { isShownTo, ownerOfDiagnoses } from './run.js';

const diagnosis = (tenant: string) => ({
  kind: 'diagnosis' as const,
  owner: ownerOfDiagnoses(tenant),
});
const chat = (owner: string) => ({ kind: 'chat' as const, owner });

it('shows a diagnosis to every caller of its tenant, and to no other', () => {
  expect(isShownTo('acme/1f', diagnosis('acme'))).toBe(true);
  expect(isShownTo('acme/2e', diagnosis('acme'))).toBe(true);
  expect(isShownTo('globex/1f', diagnosis('acme'))).toBe(false);
  expect(isShownTo('1f', diagnosis('acme'))).toBe(false);
  expect(isShownTo('acme/1f', diagnosis('default'))).toBe(false);
});

it('shows a chat to its caller alone', () => {
  expect(isShownTo('acme/1f', chat('acme/1f'))).toBe(true);
  expect(isShownTo('acme/2e', chat('acme/1f'))).toBe(false);
  expect(isShownTo('1f', chat('acme/1f'))).toBe(false);
});

it('counts runs from before there were tenants to the default tenant', () => {
  const old = { kind: 'diagnosis' as const, owner: 'anonymous' };
  expect(isShownTo('1f', old)).toBe(true);
  expect(isShownTo('acme/1f', old)).toBe(false);
});
