import { afterAll, expect, it } from '@jest/globals';
import { BEFORE_HEAD, endlessServer } from '../../../test/support/hostile/endless-server.js';
import { Loopback } from '../../../test/support/loopback.js';
import { countingFetch } from './counting-fetch.js';

const loopback = new Loopback();
afterAll(() => loopback.close());

it.each(BEFORE_HEAD)('does not wait through endless %s of a provider', async (_, piece) => {
  const url = `http://127.0.0.1:${await loopback.open(endlessServer(piece))}`;
  const init = { method: 'POST', body: '{}', signal: AbortSignal.timeout(60_000) };
  await expect(countingFetch(url, init)).rejects.toMatchObject({ code: 'HPE_HEADER_OVERFLOW' });
});
