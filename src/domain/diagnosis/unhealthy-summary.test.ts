import { describe, expect, it } from '@jest/globals';
import type { Finding, Symptom } from './finding.js';
import {
  explains,
  joinSummaries,
  NOTHING_UNHEALTHY,
  summarizeUnhealthy,
} from './unhealthy-summary.js';

const finding = (symptom: Symptom, more: Partial<Finding> = {}): Finding => ({
  node: 'x',
  severity: 'warning',
  symptom,
  title: `is ${symptom}`,
  detail: '',
  evidence: [1],
  ...more,
});
const slow = finding('slow', { took_ms: 2_000 });

describe('slowness', () => {
  it.each(['host', 'process'])(
    'is explained by a saturated %s, which takes no measured time',
    (kind) => {
      expect(explains(summarizeUnhealthy([finding('saturated')], kind), slow)).toBe(true);
    },
  );

  it('is not explained by another saturated node whose time is short', () => {
    const saturated = finding('saturated', { took_ms: 3 });
    expect(explains(summarizeUnhealthy([saturated], 'redis'), slow)).toBe(false);
    expect(explains(summarizeUnhealthy([saturated], undefined), slow)).toBe(false);
  });

  it('is not explained by a machine that is unhealthy in another way, or by nothing', () => {
    expect(explains(summarizeUnhealthy([finding('advisory')], 'host'), slow)).toBe(false);
    expect(explains(NOTHING_UNHEALTHY, slow)).toBe(false);
  });

  it('of unknown length is explained by a dependency that takes long', () => {
    const by = (took_ms: number) => summarizeUnhealthy([finding('slow', { took_ms })], 'postgres');
    expect(explains(by(60), finding('slow'))).toBe(false);
    expect(explains(by(150), finding('slow'))).toBe(true);
  });

  it('is explained by a dependency that fails at once only where no answer comes', () => {
    const failing = summarizeUnhealthy(
      [finding('erroring', { severity: 'critical', took_ms: 1 })],
      'postgres',
    );
    const timeout = finding('slow', { kind: 'timeout', took_ms: 5_000 });
    expect(explains(failing, { ...timeout, severity: 'critical' })).toBe(true);
    expect(explains(failing, timeout)).toBe(false);
  });

  it('is explained by the machine among several dependencies', () => {
    const db = summarizeUnhealthy([finding('slow', { took_ms: 50 })], 'postgres');
    const machine = summarizeUnhealthy([finding('saturated')], 'host');
    expect(explains(db, slow)).toBe(false);
    expect(explains(joinSummaries([db, machine]), slow)).toBe(true);
  });
});

it('an error that comes at once did not wait for a slow dependency', () => {
  const by = summarizeUnhealthy([finding('slow', { took_ms: 1_400 })], 'postgres');
  expect(explains(by, finding('erroring', { took_ms: 300 }))).toBe(true);
  expect(explains(by, finding('erroring', { took_ms: 60 }))).toBe(false);
});

it('a saturated machine explains no certificate and no missing name', () => {
  const machine = summarizeUnhealthy([finding('saturated')], 'host');
  expect(explains(machine, finding('invalid'))).toBe(false);
  expect(explains(machine, finding('nameless'))).toBe(false);
});
