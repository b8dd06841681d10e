// `node scripts/large-bundle.mjs [--mb 500] [--most 400]`: writes an incident bundle of that size
// into a temporary folder, diagnoses it with the built command, and prints the time and the largest
// memory (resident set) of the process, which holds the whole service. Fails if the diagnosis is
// wrong, or if the process took more memory than `--most` MB. Linux only: it reads /proc.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt } from './lib/build.mjs';
import { readOptions } from './lib/options.mjs';

const { values } = readOptions('node scripts/large-bundle.mjs [--mb 500] [--most 400]', {
  mb: { type: 'string', default: '500' },
  most: { type: 'string', default: '400' },
});
const size = Number(values.mb) * 1e6;
const most = Number(values.most);
const root = join(import.meta.dirname, '..');

const START = Date.parse('2026-01-01T00:00:00Z');
const REPORT = START + 50 * 60_000;
const NOW = START + 60 * 60_000;
const SERVICES = Array.from({ length: 40 }, (_, i) => `service-${i}`);
/** The one that fails from minute 45 on. */
const CULPRIT = 'service-17';
const FAILS = START + 45 * 60_000;

let seed = 42;
/** A pseudo-random number from 0 to 1 (mulberry32), the same in every run. */
function random() {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}
const pick = (list) => list[Math.floor(random() * list.length)];
const hex = (digits) =>
  Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');

async function writeLines(path, bytes, lineAt) {
  const file = createWriteStream(path);
  for (let written = 0; written < bytes;) {
    const line = `${JSON.stringify(lineAt(written / bytes))}\n`;
    written += line.length;
    if (!file.write(line)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
}

function logLine(share) {
  const at = START + share * (NOW - START);
  const node = pick(SERVICES);
  const fails = node === CULPRIT && at >= FAILS && random() < 0.5;
  return {
    timestamp: new Date(at).toISOString(),
    severity_text: fails ? 'ERROR' : random() < 0.02 ? 'WARN' : 'INFO',
    body: fails
      ? `cannot acquire connection from pool: timeout after ${Math.floor(random() * 900)} ms`
      : `${pick(['GET', 'POST'])} /${pick(['cart', 'order', 'user', 'item'])}/${hex(8)} 200 in ${Math.floor(random() * 90)} ms for session ${hex(16)} from 10.0.${Math.floor(random() * 255)}.${Math.floor(random() * 255)}`,
    resource: { 'service.name': node, 'k8s.pod.name': `${node}-6f7c9d4b8-${hex(5)}` },
  };
}

function traceLine(share) {
  const at = START + share * (NOW - START);
  const traceId = hex(32);
  const spans = [CULPRIT, ...Array.from({ length: 7 }, () => pick(SERVICES))].map((node, i) => {
    const fails = node === CULPRIT && at >= FAILS && random() < 0.5;
    const start = BigInt(Math.round(at + i)) * 1_000_000n;
    const took = BigInt(Math.round((fails ? 900 : 40) + random() * 20)) * 1_000_000n;
    return {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: node } }] },
      scopeSpans: [
        {
          spans: [
            {
              traceId,
              spanId: hex(16),
              name: pick(['GET /cart', 'GET /order', 'list']),
              startTimeUnixNano: String(start),
              endTimeUnixNano: String(start + took),
              ...(fails && { status: { code: 2, message: 'pool timeout' } }),
              attributes: [{ key: 'http.request.id', value: { stringValue: hex(24) } }],
            },
          ],
        },
      ],
    };
  });
  return { resourceSpans: spans };
}

function seriesLine() {
  const node = pick(SERVICES);
  const name = `${pick(['http', 'cpu', 'memory', 'queue', 'disk'])}_${hex(4)}`;
  const values = Array.from({ length: 720 }, (_, i) => {
    const at = START + i * 5_000;
    const moved = node === CULPRIT && at >= FAILS ? 8 : 1;
    return [at / 1_000, (100 * moved * (0.95 + 0.1 * random())).toFixed(3)];
  });
  return { metric: { __name__: name, service: node }, values };
}

async function writeBundle(folder) {
  for (const name of ['metrics', 'logs', 'traces'])
    mkdirSync(join(folder, name), { recursive: true });
  const iso = (at) => new Date(at).toISOString();
  const incident = {
    schema: 'consilium/incident@1',
    id: 'large',
    message: 'requests fail',
    start: iso(START),
    now: iso(NOW),
    reportedAt: iso(REPORT),
  };
  writeFileSync(join(folder, 'incident.yaml'), JSON.stringify(incident));
  const nodes = SERVICES.map((id) => ({ id, name: id, kind: 'workload', dependsOn: [] }));
  writeFileSync(join(folder, 'topology.yaml'), JSON.stringify({ id: 1, name: 'Large', nodes }));
  await writeLines(join(folder, 'logs/logs.ndjson'), size * 0.5, logLine);
  await writeLines(join(folder, 'traces/spans.ndjson'), size * 0.3, traceLine);
  await writeLines(join(folder, 'metrics/metrics.ndjson'), size * 0.2, seriesLine);
}

/** The largest resident set of a process so far, in MB (`VmHWM` of proc(5)). */
function peakOf(pid) {
  try {
    const [, kb] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kb ?? 0) / 1_024;
  } catch {
    return 0; // It has ended.
  }
}

if (!(await ensureBuilt(root))) process.exit(1);
const home = mkdtempSync(join(tmpdir(), 'consilium-large-'));
try {
  const folder = join(home, 'large');
  await writeBundle(folder);
  const started = performance.now();
  const child = spawn(process.execPath, [join(root, 'dist/cli/diagnose.js'), folder, '--quiet'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (bytes) => (said += bytes));
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, peakOf(child.pid))), 50);
  await once(child, 'close');
  clearInterval(watch);
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  console.log(`${said.trim()}\n${values.mb} MB: ${seconds} s, at most ${Math.round(peak)} MB`);
  if (!said.includes(CULPRIT) || peak > most || peak === 0) process.exitCode = 1;
} finally {
  rmSync(home, { recursive: true });
}
