import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Api } from '../../support/api.js';
import { ask } from '../../support/chat.js';
import { refuse } from '../../support/models/provider-server.js';
import { call, dear, documentedScene } from '../../support/documented-scene.js';

/*
 * The event sequences that the clients of each endpoint expect (contract section 7), over HTTP and
 * with a scripted model.
 */
const scene = documentedScene();
const { plays } = scene;
let api: Api;
let topology_id: number;
beforeEach(() => void ({ api, topology_id } = scene));

describe('POST /api/oracle/stream', () => {
  /** The chunks of a turn. */
  const oracle = async () =>
    (
      await ask(`${api.url}/api/oracle/stream`, {
        question: 'What is it?',
        project_id: topology_id,
      })
    ).events.map(({ data }) => data);
  const set = (settings: object) =>
    fetch(`${api.url}/api/settings/agent-config`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(settings),
    });
  const systems = (chunks: readonly object[]) => chunks.filter((chunk) => 'system_type' in chunk);
  const system = (system_type: string, system_message: string, metadata: object) => ({
    type: 'system',
    system_type,
    system_message,
    content: system_message,
    metadata,
  });
  const looks = (count: number) =>
    Array.from({ length: count }, (_, i) => [call('search_code', { query: `way ${i}` })]);

  test('limit warnings of iterations, and the limit', async () => {
    await set({ max_iterations: 10 });
    plays(...looks(10));
    const chunks = await oracle();
    const limit = { limit_value: 10, limit_type: 'iteration' };
    expect(systems(chunks)).toEqual([
      system(
        'limit_warning',
        'Approaching iteration limit (7/10). Consider wrapping up your response.',
        {
          ...limit,
          current_value: 7,
          percent: 70,
        },
      ),
      system('limit_reached', 'Maximum iterations reached (10/10). Saving partial response.', {
        ...limit,
        current_value: 10,
        percent: 100,
      }),
    ]);
    expect(chunks.at(-1)).toMatchObject({ type: 'done' });
  });

  test('a warning of the token budget, and its end', async () => {
    plays(dear(call('search_code'), 40_000), dear(call('search_code', { query: 'more' }), 10_000));
    const chunks = await oracle();
    const limit = { limit_value: 50_000, limit_type: 'token' };
    expect(systems(chunks)).toEqual([
      system(
        'limit_warning',
        'Approaching token budget (40,000/50,000 tokens). Consider being more concise.',
        {
          ...limit,
          current_value: 40_000,
          percent: 80,
        },
      ),
      system(
        'limit_reached',
        'Token budget reached (50,000/50,000 tokens). Saving partial response.',
        {
          ...limit,
          current_value: 50_000,
          percent: 100,
        },
      ),
    ]);
    expect(chunks.at(-1)).toMatchObject({ type: 'done', tokens_used: 50_000 });
  });

  test('no progress', async () => {
    plays(...[1, 2, 3].map(() => [call('search_code')]));
    const chunks = await oracle();
    expect(systems(chunks).at(-1)).toEqual(
      system(
        'no_progress',
        'No progress detected - the same action was attempted 3 times. Terminating to prevent infinite loop.',
        {
          repeated_action: 'search_code({"node":"shop","query":"authentication"})',
        },
      ),
    );
    expect(chunks.at(-1)).toMatchObject({ type: 'done' });
  });

  test('error limit', async () => {
    plays(...['a', 'b', 'c'].map((word) => [call('search_workout_library', { query: word })]));
    const chunks = await oracle();
    expect(systems(chunks)).toEqual([
      system(
        'error_limit',
        'Multiple consecutive errors (3/3). Terminating with partial results.',
        {
          error_count: 3,
          last_error: 'Unable to connect to the service.',
        },
      ),
    ]);
    expect(chunks.at(-1)).toMatchObject({ type: 'done' });
  });

  test('an error is a text, and the end', async () => {
    plays(refuse(400));
    expect((await oracle()).at(-1)).toEqual({ type: 'error', error: expect.any(String) });
  });
});
