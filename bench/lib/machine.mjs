import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { nchanVersion } from './nchan.mjs';
import { ROOT } from './product.mjs';

const output = (program, ...args) =>
  execFileSync(program, args, {
    encoding: 'utf8',
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

/** `output` of a command, or nothing if it fails. */
function tryOutput(...command) {
  try {
    return output(...command);
  } catch {
    return undefined;
  }
}

const installed = (name, folder) =>
  JSON.parse(readFileSync(join(ROOT, folder, 'node_modules', name, 'package.json'), 'utf8'))
    .version;

/** Lines that describe machine, programs and commit. */
export function describeMachine(withNchan) {
  const changed = tryOutput(
    'git',
    'status',
    '--porcelain',
    '--',
    'src',
    'bench',
    'package-lock.json',
    ':!bench/*.md',
  );
  const commit = tryOutput('git', 'rev-parse', '--short=12', 'HEAD') ?? 'unknown';
  const system = /^PRETTY_NAME="(.*)"$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1];
  return [
    `Date: ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    `Commit: ${commit}${changed ? ', with changes that are not committed' : ''}`,
    `Machine: ${availableParallelism()} cores, ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${system}, Linux ${release()}`,
    `Load average before: ${loadavg()[0].toFixed(2)}`,
    `Node ${process.version}, ${tryOutput('redis-server', '--version')?.replace(/ sha=.*/, '')} (append-only file, fsync every second)`,
    `ioredis ${installed('ioredis', '')}, bullmq ${installed('bullmq', '')}, NestJS ${installed('@nestjs/core', '')}`,
    `better-sse ${installed('better-sse', 'bench')}, LangGraph.js ${installed('@langchain/langgraph', 'bench')}, langgraph-supervisor ${installed('@langchain/langgraph-supervisor', 'bench')}`,
    ...(withNchan ? [nchanVersion()] : []),
  ];
}
