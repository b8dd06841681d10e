import { parseArgs } from 'node:util';
import { checkFiles, type FileState } from '../check-files.js';
import { checkRedis, type RedisState } from '../check-redis.js';
import { checkSetup } from '../check-setup.js';
import { misspeltWarnings } from '../config/misspelt-variables.js';
import type { SourceState } from '../sources/live/check-source.js';
import { withApprovals } from '../sources/mcp/approved-tools.js';
import { Sources } from '../sources/sources.js';
import { EgressPolicy } from '../tools/egress/egress-policy.js';
import { sourceEgress } from '../tools/egress/source-egress.js';
import { commandInterrupt } from './command-interrupt.js';
import { commandName } from './command-name.js';
import { printError } from './print-error.js';
import { oneLine } from './report/layout.js';
import { wrongOption } from './wrong-option.js';

const USAGE = `Checks the variables of a service and the files that they name, its topologies, the credentials of ALERTS_FILE and
REPORTS_FILE, ARCHIVE_DIR, the Redis at REDIS_URL, and each server of SOURCES_FILE, with its credential and with the tools that TOOLS_DIR calls.

Usage: ${commandName('doctor')} [options]

      --json   print JSON
  -h, --help   print this help

Exit codes: 0 everything answers, 1 something does not, is hidden, has changed or may be lost, 2 a variable or a file has faults.
`;

const OPTIONS = {
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

type OwnState = { tools?: undefined } & (
  | FileState
  | ({ id: 'REDIS_URL'; kind: 'redis' } & RedisState)
  | { id: 'settings'; kind: 'variables and files'; endpoint: ''; state: 'ok'; detail: '' }
);
interface Found {
  own: OwnState[];
  sources: SourceState[];
}

/** Faults of these have their own exit code. */
const SETTINGS = {
  id: 'settings',
  kind: 'variables and files',
  endpoint: '',
  state: 'ok',
  detail: '',
} as const;

async function examine(signal: AbortSignal): Promise<Found> {
  misspeltWarnings(process.env).forEach((warning) => console.error(warning));
  const setup = checkSetup(process.env);
  const { config, ownTools } = setup;
  const egress = sourceEgress(EgressPolicy.of(config.egressAllow, config.egressDeny, []));
  const { redisUrl, redisPrefix } = config;
  const [files, redis, sources] = await Promise.all([
    checkFiles(setup),
    redisUrl === undefined ? undefined : checkRedis(redisUrl, redisPrefix),
    new Sources(config).check(egress, signal),
  ]);
  const states = withApprovals(sources, ownTools);
  const own: OwnState[] = [SETTINGS, ...files];
  if (redis) own.push({ id: 'REDIS_URL', kind: 'redis', ...redis });
  return { own, sources: states };
}

function print({ own, sources }: Found): void {
  for (const { id, kind, endpoint, state, detail, tools = [] } of [...own, ...sources]) {
    const where = endpoint === '' ? '' : ` at ${endpoint}`;
    console.log(`${state.padEnd(11)} ${oneLine(`${id} (${kind}${where})`)}`);
    if (detail !== '') console.log(`            ${oneLine(detail)}`);
    if (tools.length > 0)
      console.log('            Its tools, with the digests that approve them, in its own words:');
    for (const { name, definition, description, arguments: names } of tools) {
      console.log(`            ${oneLine(`${name} ${definition}`)}`);
      console.log(`              ${oneLine(`arguments: ${names.join(', ') || 'none'}`)}`);
      if (description !== '') console.log(`              ${oneLine(`"${description}"`)}`);
    }
  }
  if (!own.some(({ id }) => id === 'REDIS_URL'))
    console.log('REDIS_URL is not set: a service with ROLE=all starts a private Redis.');
  if (sources.length === 0)
    console.log(
      `SOURCES_FILE ${process.env['SOURCES_FILE'] ? 'lists no server' : 'is not set'}: only endpoints are measured.`,
    );
}

try {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) process.stdout.write(USAGE);
  else {
    const found = await examine(commandInterrupt());
    const all = [...found.own, ...found.sources];
    if (values.json) console.log(JSON.stringify(all));
    else print(found);
    const isWell = all.every(({ state, detail }) => state === 'ok' && detail === '');
    process.exitCode = isWell ? 0 : 1;
  }
} catch (error) {
  printError(wrongOption(error, OPTIONS));
  process.exitCode = 2;
}
