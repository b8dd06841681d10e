// The load generator: many raw sockets that follow streams. It counts bytes, and parses them only
// in some modes.
import net from 'node:net';
import { now } from '../lib/clock.mjs';
import { DIGITS, MARK } from '../lib/event.mjs';
import { serve } from '../lib/helper.mjs';
import { percentile } from '../lib/stats.mjs';

const WAVE = 200;
const PING = Buffer.from(': ping\n\n');
/** All sockets read into this one buffer. Its content is valid only during the callback. */
const shared = Buffer.allocUnsafe(1 << 18);

let followers = [];
let done = { count: 0, resolve: () => {} };

/**
 * What a follower does with each chunk of a body. Each mode counts in `seen` what the follower
 * waits for.
 */
const READERS = {
  /** For servers whose output is known to the byte. Heartbeats are not counted. */
  bytes: (follower, bytes) => {
    if (bytes.length !== PING.length || !bytes.equals(PING)) follower.seen += bytes.length;
  },
  /** For servers that add bytes: counts the marks. Each event contains one. */
  marks: (follower, bytes) => {
    for (let at = bytes.indexOf(MARK); at !== -1; at = bytes.indexOf(MARK, at + 1)) follower.seen++;
  },
  /** The same, and measures the age of each event. */
  latency: (follower, bytes) => {
    const at = now();
    const whole =
      follower.rest === '' ? bytes : Buffer.concat([Buffer.from(follower.rest, 'latin1'), bytes]);
    follower.rest = '';
    for (let mark = whole.indexOf(MARK); mark !== -1; mark = whole.indexOf(MARK, mark + 1)) {
      if (whole.length < mark + 1 + DIGITS) {
        follower.rest = whole.toString('latin1', mark);
        return;
      }
      follower.seen++;
      follower.ages.push(
        at - Number(whole.toString('latin1', mark + 1, mark + 1 + DIGITS)) / 1_000,
      );
    }
  },
  /** Parses every frame: its id must be one more than that of the frame before. */
  verify: (follower, bytes) => {
    const parts = (follower.rest + bytes.toString('latin1')).split('\n\n');
    follower.rest = parts.pop();
    for (const part of parts) {
      const id = /^event: \S+\nid: (\d+)\ndata: \{.*\}$/.exec(part)?.[1];
      if (id === undefined) {
        if (!part.startsWith('retry:') && !part.startsWith(':'))
          follower.wrong ??= `no frame: ${part.slice(0, 200)}`;
        continue;
      }
      if (Number(id) !== follower.sequence + 1)
        follower.wrong ??= `sequence ${id} after ${follower.sequence}`;
      follower.sequence = Number(id);
      follower.seen += part.includes('@') ? 1 : 0;
    }
  },
};

function take(follower, bytes) {
  follower.read(follower, bytes);
  follower.last = now();
  check(follower);
}

function check(follower) {
  if (follower.complete || follower.seen < follower.target) return;
  follower.complete = true;
  if (++done.count === followers.length) done.resolve();
}

/** Resolves when the response has begun; throws for a status other than 200. */
function follow({ host, port, path, headers, mode, after }) {
  return new Promise((resolve, reject) => {
    const follower = {
      read: READERS[mode],
      seen: 0,
      target: Infinity,
      complete: false,
      last: 0,
      rest: '',
      sequence: after,
      ages: [],
    };
    let head = '';
    const onread = {
      buffer: shared,
      callback(size) {
        const bytes = shared.subarray(0, size);
        if (head !== undefined) begin(bytes);
        else take(follower, bytes);
        return true;
      },
    };
    const begin = (bytes) => {
      head += bytes.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      if (!head.startsWith('HTTP/1.1 200')) return reject(new Error(head));
      const body = Buffer.from(head.slice(end + 4), 'latin1');
      head = undefined;
      followers.push(follower);
      if (body.length > 0) take(follower, body);
      resolve(follower);
    };
    const extra = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const request = `GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nAccept: text/event-stream\r\n${extra.join('')}\r\n`;
    follower.socket = net.connect({ host, port, onread, noDelay: true }, () =>
      follower.socket.write(request),
    );
    follower.socket.on('error', reject);
    follower.socket.on('close', () => {
      follower.closed = true;
      reject(new Error(`${path} was closed without an answer`));
    });
  });
}

serve({
  /**
   * Opens a stream on each path.
   * @returns `start`: before the first request, `connected`: when all responses have begun
   */
  async connect({ url, paths, headers = {}, mode, after = 0, wave = WAVE }) {
    const { hostname: host, port } = new URL(url);
    const queue = [...paths];
    const start = now();
    const lane = async () => {
      for (let path = queue.shift(); path !== undefined; path = queue.shift())
        await follow({ host, port: Number(port), path, headers, mode, after }).then(
          (follower) => (follower.path = path),
        );
    };
    await Promise.all(Array.from({ length: Math.min(wave, paths.length) }, lane));
    return { start, connected: now() };
  },

  /**
   * Waits until every follower has received everything. @param targets path → number, in the unit
   * of its mode
   * @returns the time of the last of it
   */
  async complete({ targets, seconds = 120 }) {
    done.count = 0;
    await new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const missing = followers.filter((follower) => !follower.complete);
        const [first] = missing;
        reject(
          new Error(
            `${missing.length} of ${followers.length} followers are not done: ${first.path} has ${first.seen} of ${first.target}`,
          ),
        );
      }, seconds * 1_000);
      done.resolve = () => {
        clearTimeout(timer);
        resolve();
      };
      for (const follower of followers) {
        follower.complete = false;
        follower.target = targets[follower.path];
        check(follower);
      }
    });
    return { last: followers.reduce((last, follower) => Math.max(last, follower.last), 0) };
  },

  /**
   * What followers received too much or wrongly: must be nothing. A heartbeat may arrive together
   * with an event.
   */
  faults() {
    return followers.flatMap(({ path, wrong, seen, target }) => {
      const more = seen - target;
      if (wrong === undefined && (more === 0 || more === PING.length)) return [];
      return [`${path}: ${wrong ?? `${seen} instead of ${target}`}`];
    });
  },

  /** Discards what was measured until now. */
  forgetAges() {
    for (const follower of followers) follower.ages = [];
  },

  /** ms from append to receipt, over all events and followers. */
  ages() {
    const all = Float64Array.from(followers.flatMap(({ ages }) => ages));
    return {
      count: all.length,
      p50: percentile(all, 0.5),
      p99: percentile(all, 0.99),
      max: percentile(all, 1),
    };
  },

  open: () => followers.filter(({ closed }) => !closed).length,

  async close() {
    for (const { socket } of followers) socket.destroy();
    followers = [];
    done = { count: 0, resolve: () => {} };
  },
});
