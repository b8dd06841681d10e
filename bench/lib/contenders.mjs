// Each contender of the fan-out rows in the same shape: a server to follow, and something that
// feeds it.
import { startHelper } from './helper.mjs';
import { startNchan } from './nchan.mjs';
import { FRAME_BYTES, PREFACE_BYTES } from './settings.mjs';

const eventsPath = (id) => `/api/service/v1/executions/${id}/events`;

/** Concurrent appends and events per append at full speed. */
export const FLOOD = { batch: 64, window: 8 };

/**
 * The product: ROLE=api in a process of its own, fed through its log by another process.
 * `mode` is what followers count by.
 * @param headers of the followers, for a service whose `env` wants a credential
 */
export async function consilium(redis, { flood = FLOOD, env = {}, headers = {} } = {}) {
  const [service, appender] = await Promise.all([startHelper('service'), startHelper('appender')]);
  const url = await service.call('start', { redisUrl: redis.url, env: { ...env, ROLE: 'api' } });
  await appender.call('open', { url: redis.url, frameBytes: FRAME_BYTES });
  let ids = [];
  return {
    url,
    headers,
    mode: 'bytes',
    rss: service.rss,
    writes: service.writes,
    async begin(runs) {
      ids = await appender.call('create', { count: runs });
      return ids.map(eventsPath);
    },
    flood: (events) => appender.call('flood', { ids, events, ...flood }),
    steady: (rate, seconds) => appender.call('steady', { ids, rate, seconds }),
    /**
     * What each path must deliver: in mode bytes the whole log, in mode marks every appended event.
     */
    async targets(mode, events) {
      const bytes = mode === 'bytes' ? await appender.call('bytes', { ids }) : [];
      return Object.fromEntries(
        ids.map((id, i) => [
          eventsPath(id),
          mode === 'bytes' ? PREFACE_BYTES + bytes[i] : events + 1,
        ]),
      );
    },
    clean: () => appender.call('clean'),
    stop: () => Promise.all([service.stop(), appender.stop()]),
  };
}

/**
 * A server that writes the same buffer to every socket: its own events at full speed, or those of
 * another process at a rate.
 */
export async function bare() {
  const [server, publisher] = await Promise.all([
    startHelper('bare'),
    startHelper('bare-publisher'),
  ]);
  const { url, source } = await server.call('start');
  await publisher.call('open', { port: source });
  let bytes = 0;
  return {
    url,
    mode: 'bytes',
    rss: server.rss,
    begin: () => ((bytes = 0), ['/']),
    async flood(events, batch) {
      const sent = await server.call('flood', { events, batch, frameBytes: FRAME_BYTES });
      bytes = sent.bytes;
      return sent;
    },
    steady: (rate, seconds) => publisher.call('steady', { rate, seconds, frameBytes: FRAME_BYTES }),
    targets: (mode, events) => ({ '/': mode === 'bytes' ? bytes : events }),
    clean: () => undefined,
    stop: () => Promise.all([server.stop(), publisher.stop()]),
  };
}

/**
 * The bare server, subscribed to what the product's log publishes: the same appends by the same
 * process, without the product's feed.
 */
export async function bareBehindLog(redis) {
  const [server, appender] = await Promise.all([startHelper('bare'), startHelper('appender')]);
  const { url } = await server.call('start');
  await appender.call('open', { url: redis.url, frameBytes: FRAME_BYTES });
  let ids = [];
  return {
    url,
    mode: 'bytes',
    async begin() {
      ids = await appender.call('create', { count: 1 });
      const channel = await appender.call('feed', { id: ids[0] });
      await server.call('subscribe', { redisUrl: redis.url, channel });
      // Events that are already in the log are not published again.
      this.before = (await appender.call('bytes', { ids }))[0];
      return ['/'];
    },
    flood: (events) => appender.call('flood', { ids, events, ...FLOOD }),
    async targets() {
      return { '/': (await appender.call('bytes', { ids }))[0] - this.before };
    },
    clean: () => appender.call('clean'),
    stop: () => Promise.all([server.stop(), appender.stop()]),
  };
}

/** `window`: number of publishing connections, each with one open POST. */
export async function nchan(redis, { window = 32 } = {}) {
  const [server, publisher] = await Promise.all([
    startNchan(redis.port),
    startHelper('nchan-publisher'),
  ]);
  await publisher.call('open', { url: server.url, window });
  let ids = [];
  return {
    url: server.url,
    mode: 'marks',
    rss: server.rss,
    async begin(runs) {
      ids = Array.from({ length: runs }, () => crypto.randomUUID());
      // As with the product, each stream already contains one event.
      await publisher.call('flood', { ids, events: 1, frameBytes: FRAME_BYTES });
      return ids.map((id) => `/sub/${id}`);
    },
    flood: (events) => publisher.call('flood', { ids, events, frameBytes: FRAME_BYTES }),
    steady: (rate, seconds) =>
      publisher.call('steady', { ids, rate, seconds, frameBytes: FRAME_BYTES }),
    targets: (_, events) => Object.fromEntries(ids.map((id) => [`/sub/${id}`, events + 1])),
    clean: () => undefined,
    async stop() {
      await publisher.stop();
      await server.stop();
    },
  };
}

export async function betterSse() {
  const server = await startHelper('better-sse');
  const url = await server.call('start');
  return {
    url,
    mode: 'marks',
    rss: server.rss,
    begin: () => ['/'],
    flood: (events) => server.call('flood', { events, frameBytes: FRAME_BYTES }),
    targets: (_, events) => ({ '/': events }),
    clean: () => undefined,
    stop: () => server.stop(),
  };
}
