import { expect, it } from '@jest/globals';
import { SHARED_ID, tenantScene } from '../support/tenant-scene.js';

const { runs, topologies, of, api, ask } = tenantScene();

/** Every GET path of the service, as its OpenAPI document lists them. */
async function paths(): Promise<string[]> {
  const response = await fetch(`${api().url}/docs-json`, {
    headers: of('globex', 'admin').headers,
  });
  const { paths: all } = (await response.json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  return Object.entries(all).flatMap(([path, methods]) => ('get' in methods ? [path] : []));
}

it('shows an admin of another tenant nothing of a run on any path, whatever names it', async () => {
  const attacker = of('globex', 'admin');
  const victims = runs.filter(({ tenant }) => tenant === 'acme');
  const ids = victims.map(({ runId }) => runId);
  const own = topologies.acme.find((id) => id !== SHARED_ID) as number;
  const found = await paths();
  expect(found.length).toBeGreaterThan(20);
  for (const path of found)
    for (const id of [ids[0] as string, ids.at(-1) as string, 'talk-viewer', String(own)]) {
      const asked = path.replace(/\{\w+\}/g, encodeURIComponent(id));
      for (const query of ['', `?a=${id}&b=${ids[1]}&runId=${id}&topologyId=${own}&cursor=1`]) {
        const response = await fetch(`${api().url}${asked}${query}`, {
          headers: { ...attacker.headers, 'last-event-id': '1' },
          signal: AbortSignal.timeout(20_000),
        });
        // A stream of the attacker's own begins: its head is enough.
        const isStream = response.headers.get('content-type')?.includes('event-stream') === true;
        const text = isStream ? '' : await response.text();
        await (isStream ? response.body?.cancel() : undefined);
        if (isStream)
          expect([asked, ids.includes(response.headers.get('x-run-id') ?? '')]).toEqual([
            asked,
            false,
          ]);
        expect([asked, text.includes('Shop of acme')]).toEqual([asked, false]);
        // What was asked for may be repeated; other runs of the tenant may not be named.
        const named = ids.filter(
          (other) => !`${asked}${query}`.includes(other) && text.includes(other),
        );
        expect([asked, named]).toEqual([asked, []]);
      }
    }
});

it('answers a cancel of a foreign run as one of a missing run', async () => {
  const victim = runs.find(({ tenant }) => tenant === 'acme');
  const missing = '0192d3f0-0000-7000-8000-000000000000';
  const attacker = of('globex', 'admin');
  const [foreign, none] = await Promise.all(
    [victim?.runId ?? '', missing].map((runId) =>
      ask(attacker, 'POST', '/executions/cancel', { body: { runId } }),
    ),
  );
  expect(foreign?.status).toBe(404);
  expect(foreign?.status).toBe(none?.status);
});
