import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../../../../lib/json.js';
import {
  BROKEN,
  WELL,
  ask,
  run,
  tell,
} from '../../../../../test/support/incidents/oracle-questions.js';

describe('since when', () => {
  const many = (n: number, isWellFirst: boolean) =>
    Array.from({ length: n }, (_, i) => ({
      ...run(0, String(59 - i), isWellFirst && i === n - 1 ? WELL : BROKEN),
      run_id: `01900000-0000-7000-8000-0000000001${String(i).padStart(2, '0')}`,
    }));
  const from = (runs: ReturnType<typeof many>) => (tool: string, args: JsonObject) => {
    if (tool === 'list_runs')
      return { runs: runs.slice(0, Number(args['limit'])) } as unknown as Json;
    if (tool === 'get_run')
      return runs.find(({ run_id }) => run_id === args['run_id']) as unknown as Json;
    return tell(tool, args);
  };

  it('reads earlier diagnoses until the node was healthy', () =>
    expect(ask('since when is payments broken?', { answer: from(many(18, true)) }).text).toMatch(
      /^Payments was healthy at 2026-11-22 08:42:02 UTC \(run .*117\) and unhealthy at 2026-11-22 08:43:00 UTC: it began in between\. Run .*116 was the first/,
    ));

  it('names the number of diagnoses that it has read', () =>
    expect(ask('since when is payments broken?', { answer: from(many(40, true)) }).text).toMatch(
      /^Payments was unhealthy at 2026-11-22 08:40:00 UTC already \(run .*119\); none of the 20 diagnoses that I read saw it healthy, so I cannot/,
    ));
});
