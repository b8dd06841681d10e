import { expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../../../../lib/json.js';
import {
  BROKEN,
  SPOKEN,
  ask,
  finding,
  tell,
} from '../../../../../test/support/incidents/oracle-questions.js';

const shown = (node: string) => ({
  ...finding(node, 'new error in its logs: pool is empty', [45]),
  severity: 'info',
});
const telling =
  (node: string) =>
  (tool: string, args: JsonObject): Json =>
    tool === 'get_run'
      ? {
          ...(tell(tool, args) as JsonObject),
          report: { ...BROKEN, findings: [shown(node)] },
          measurements: [
            { sequence: 45, node, tool: 'log_patterns', summary: '2 patterns: 1 new (1 error)' },
          ],
        }
      : tell(tool, args);

it.each([
  ['any errors in the logs?', 'payments', 'Payments'],
  ['any errors in the logs of payments?', 'payments', 'Payments'],
  ['any errors in the logs?', 'catalog', 'Catalog'],
])(
  'finds what the logs show, also if it is listed for information: %s (%s)',
  (question, node, name) => {
    const { text } = ask(question, { said: SPOKEN, answer: telling(node) });
    expect(text).toMatch(/^Yes\b/);
    expect(text).toContain(
      `Found about logs:\n- ${name}: new error in its logs: pool is empty (event 45)`,
    );
  },
);
