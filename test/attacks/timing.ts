/**
 * The second part of `npm run test:tenants -- [--requests N]`: compares the time of answers about
 * what belongs to another tenant with the time of answers about what does not exist, in N (10,000)
 * requests of principals of three tenants in random order. Exits with 1 if an answer differs, or a
 * time: |t| of Welch's test above 4.5 without the slowest tenth (Reparaz, Balasch, Verbauwhede:
 * "Dude, is my code constant time?", 2017).
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { v7 as uuid } from 'uuid';
import { makeApiKey } from '../../src/http/access/api-key.js';
import { random } from '../faults/lib/random.js';
import { ServiceGroup } from '../scale/service-group.js';

const TENANTS = ['default', 'acme', 'globex'];
const THINGS = 20;
const MOST_T = 4.5;
const SLOWEST = 0.1;
const BASE = '/api/service/v1';

const { values } = parseArgs({ options: { requests: { type: 'string', default: '10000' } } });

/** What one tenant has, and its key. */
interface Owned {
  key: string;
  topologies: number[];
  runs: string[];
  conversations: string[];
}

/** A request for a thing of another tenant, and the same one for a thing that does not exist. */
type Kind = (of: Owned | undefined, nth: number) => { path: string; body?: object };
const runOf = (of: Owned | undefined, nth: number): string => of?.runs[nth % THINGS] ?? uuid();
const topologyOf = (of: Owned | undefined, nth: number): number =>
  of?.topologies[nth % THINGS] ?? 1_000_000 + nth;
const talkOf = (of: Owned | undefined, nth: number): string =>
  of?.conversations[nth % THINGS] ?? `talk-of-none-${nth}`;
const KINDS: Record<string, Kind> = {
  run: (of, nth) => ({ path: `/executions/${runOf(of, nth)}` }),
  'events of a run': (of, nth) => ({ path: `/executions/${runOf(of, nth)}/events` }),
  'approvals of a run': (of, nth) => ({ path: `/executions/${runOf(of, nth)}/approvals` }),
  'cancel a run': (of, nth) => ({ path: '/executions/cancel', body: { runId: runOf(of, nth) } }),
  topology: (of, nth) => ({ path: `/topologies/${topologyOf(of, nth)}` }),
  'versions of a topology': (of, nth) => ({ path: `/topologies/${topologyOf(of, nth)}/versions` }),
  conversation: (of, nth) => ({ path: `/conversations/${talkOf(of, nth)}` }),
};

async function ask(url: string, key: string, path: string, body?: object) {
  const began = performance.now();
  const response = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, ms: performance.now() - began };
}

/** Stores what a tenant has: topologies, a run of each, and conversations. */
async function fill(url: string, admin: string, tenant: string, first: number): Promise<Owned> {
  const post = async <Data>(key: string, path: string, body: object): Promise<Data> => {
    const { status, text } = await ask(url, key, path, body);
    if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`);
    return (JSON.parse(text) as { data: Data }).data;
  };
  const wanted = { name: 'the-admin', role: 'admin', tenant };
  const { key } = await post<{ key: string }>(admin, `${BASE}/keys`, wanted);
  const owned: Owned = { key, topologies: [], runs: [], conversations: [] };
  for (let i = 0; i < THINGS; i++) {
    const node = { id: 'port', name: 'Port', kind: 'tcp', endpoint: '127.0.0.1:9' };
    const topology = { id: first + i, name: `System ${i}`, nodes: [node] };
    await post(key, `${BASE}/topologies`, topology);
    owned.topologies.push(topology.id);
    const asked = { topologyId: topology.id, userMessage: 'Why?' };
    const { runId } = await post<{ runId: string }>(key, `${BASE}/executions/trigger`, asked);
    owned.runs.push(runId);
    owned.conversations.push(`talk-of-${tenant}-${i}`);
    await ask(url, key, `/chat/stream`, { message: 'help', session_id: owned.conversations[i] });
  }
  return owned;
}

interface Sample {
  isForeign: boolean;
  ms: number;
}

const mean = (all: readonly number[]): number => all.reduce((sum, x) => sum + x, 0) / all.length;

/** Welch's t of two samples, without the slowest of both. */
function compare(samples: readonly Sample[]) {
  const kept = samples
    .toSorted((a, b) => a.ms - b.ms)
    .slice(0, Math.ceil(samples.length * (1 - SLOWEST)));
  const [foreign, missing] = [true, false].map((which) =>
    kept.filter(({ isForeign }) => isForeign === which).map(({ ms }) => ms),
  ) as [number[], number[]];
  const variance = (all: readonly number[]) => {
    const middle = mean(all);
    return all.reduce((sum, x) => sum + (x - middle) ** 2, 0) / (all.length - 1);
  };
  const error = Math.sqrt(variance(foreign) / foreign.length + variance(missing) / missing.length);
  const a = mean(foreign);
  const b = mean(missing);
  return { foreign: a, missing: b, t: (a - b) / error };
}

const shape = (text: string): string =>
  text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\b\d{3,}\b|talk-[\w-]+/g, '#');

async function measure(url: string, tenants: readonly Owned[]): Promise<boolean> {
  const draw = random(17);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(draw() * all.length)] as T;
  const samples = new Map<string, Sample[]>(Object.keys(KINDS).map((name) => [name, []]));
  const answers = new Map<string, Set<string>>();
  for (let nth = 0; nth < Number(values.requests); nth++) {
    const asker = pick(tenants);
    const name = pick(Object.keys(KINDS));
    const isForeign = draw() < 0.5;
    const owner = pick(tenants.filter((each) => each !== asker));
    const wanted = KINDS[name]?.(isForeign ? owner : undefined, nth);
    if (!wanted) continue;
    const { status, text, ms } = await ask(url, asker.key, BASE + wanted.path, wanted.body);
    samples.get(name)?.push({ isForeign, ms });
    answers.set(name, (answers.get(name) ?? new Set()).add(`${status} ${shape(text)}`));
  }
  let isEven = true;
  for (const [name, all] of samples) {
    const { foreign, missing, t } = compare(all);
    const isSame = answers.get(name)?.size === 1;
    isEven &&= isSame && Math.abs(t) <= MOST_T;
    const times = `foreign ${foreign.toFixed(3)} ms, missing ${missing.toFixed(3)} ms, t ${t.toFixed(1)}`;
    console.log(
      `${name.padEnd(24)} ${all.length} requests, ${times}${isSame ? '' : `, answers differ: ${[...(answers.get(name) ?? [])].join(' | ')}`}`,
    );
  }
  return isEven;
}

const folder = await mkdtemp(join(tmpdir(), 'consilium-timing-'));
const { key: admin } = makeApiKey();
await writeFile(join(folder, 'key'), admin);
const group = await ServiceGroup.start(['api', 'worker'], {
  AUTH: 'keys',
  AUTH_BOOTSTRAP_KEY_FILE: join(folder, 'key'),
  REQUESTS_PER_MINUTE: '0',
  CHATS_PER_MINUTE: '0',
  TRIGGERS_PER_MINUTE: '0',
  // Targets are on loopback, which tenants reach only if it is named.
  EGRESS_ALLOW: '127.0.0.0/8',
});
try {
  const url = group.anyApi();
  if (url === undefined) throw new Error('no process serves the API');
  const tenants: Owned[] = [];
  for (const [i, tenant] of TENANTS.entries())
    tenants.push(await fill(url, admin, tenant, 1_000 * (i + 1)));
  const isEven = await measure(url, tenants);
  console.log(isEven ? 'no difference' : 'the answers or their times differ');
  process.exitCode = isEven ? 0 : 1;
} finally {
  await group.close();
  await rm(folder, { recursive: true });
}
