import { expect } from '@jest/globals';
import type { ToolResult } from '../../../src/domain/diagnosis/tool-result.js';

/**
 * What every result of a tool must be: plain JSON, bounded, with a status that follows from its
 * issues.
 */
export function expectSound(result: ToolResult): ToolResult {
  const text = JSON.stringify(result);
  expect(JSON.parse(text)).toEqual(result);
  expect(text.length).toBeLessThan(16_384);
  expect(result.summary).not.toBe('');
  expect(result.summary).not.toContain('\n');
  const severities = result.issues.map(({ severity }) => severity);
  expect(result.status).toBe(
    severities.includes('critical') ? 'failed' : severities.includes('warning') ? 'degraded' : 'ok',
  );
  return result;
}
