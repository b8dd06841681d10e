// Writes .env.example, README's table of variables and the variables of docker-compose.yml from
// src/config/variables.ts. `--check` writes nothing and fails if they differ.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import './ts.mjs';

const root = join(import.meta.dirname, '..');
const check = process.argv.includes('--check');
const { VARIABLES, describeAllowed } = await import('../src/config/variables.ts');

const MOST_USED = [
  'ROLE',
  'HOST',
  'PORT',
  'REDIS_URL',
  'TOPOLOGIES_DIR',
  'MODEL',
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'MODELS_FILE',
  'LOG_LEVEL',
];

/** Variables of docker-compose.yml that the service does not read. */
const OF_COMPOSE = [
  [
    'CONFIG_DIR',
    './deploy/compose',
    'Folder of topologies, behaviour trees, rules, subscribers and incidents.',
  ],
  ['REDIS_API_PASSWORD', '', 'Password of the user `api` of Redis, without spaces. Required.'],
  [
    'REDIS_WORKER_PASSWORD',
    '',
    'Password of the user `worker` of Redis, without spaces. Required.',
  ],
];

const tableOf = (variables) =>
  [
    '| variable | default | unit | allowed | what it does |',
    '| --- | --- | --- | --- | --- |',
    ...variables.map(({ name, default: value, unit, allowed, about }) => {
      return `| \`${name}\` | ${value === '' ? 'none' : `\`${value}\``} | ${unit} | ${describeAllowed(allowed)} | ${about} |`;
    }),
  ].join('\n');

const table = tableOf(VARIABLES.filter(({ name }) => MOST_USED.includes(name)));

const page = [
  '# Configuration',
  '',
  'Every environment variable of the service. An empty variable counts as unset. An invalid value',
  'prevents the start, with a list of all faults; a name that is a misspelt one of these (`PORTT`,',
  '`REDIS_URI`, `CONSILIUM_PORT`) is reported at start, and any other is ignored. Written by',
  '`scripts/config-docs.mjs` from `src/config/variables.ts`.',
  '',
  '<!-- prettier-ignore-start -->',
  '',
  tableOf(VARIABLES),
  '',
  '<!-- prettier-ignore-end -->',
  '',
].join('\n');

const example = [
  '# Every variable with its default. `npm start` and `docker compose` read a copy of this file that is named .env.',
  '# Written by scripts/config-docs.mjs from src/config/variables.ts.',
  ...VARIABLES.map(({ name, default: value, unit, allowed, about }) => {
    return `\n# ${about}\n# Allowed: ${describeAllowed(allowed)}${unit === '' ? '' : ` (${unit})`}\n#${name}=${value}`;
  }),
  ...OF_COMPOSE.map(
    ([name, value, about]) => `\n# Only for docker-compose.yml: ${about}\n#${name}=${value}`,
  ),
  '',
].join('\n');

const START = '<!-- config:start -->';
const END = '<!-- config:end -->';
const wrong = [];

write('.env.example', () => example);
write('docs/configuration.md', () => page);
if (existsSync(join(root, 'README.md'))) write('README.md', withTable);
write('docker-compose.yml', withEnvironment);

if (wrong.length > 0) {
  console.error(
    `${wrong.join(' and ')} differ from src/config/variables.ts: run \`node scripts/config-docs.mjs\`.`,
  );
  process.exitCode = 1;
}

function withTable(readme) {
  const start = readme.indexOf(START);
  const end = readme.indexOf(END);
  if (start < 0 || end < start) throw new Error(`README.md has no ${START} … ${END}`);
  const guarded = `<!-- prettier-ignore-start -->\n\n${table}\n\n<!-- prettier-ignore-end -->`;
  return `${readme.slice(0, start + START.length)}\n${guarded}\n${readme.slice(end)}`;
}

/** Forwards each variable that docker-compose.yml does not set itself. */
function withEnvironment(compose) {
  const [start, end] = ['  # variables:start', '  # variables:end'];
  const before = compose.indexOf(start) + start.length;
  const after = compose.indexOf(end);
  if (after < before) throw new Error(`docker-compose.yml has no ${start} … ${end}`);
  const own = compose.slice(0, before) + compose.slice(after);
  const names = VARIABLES.map(({ name }) => name).filter(
    (name) => !['HOST', 'PORT', 'DATA_DIR'].includes(name) && !own.includes(`  ${name}: `),
  );
  const lines = names.map((name) => `  ${name}: \${${name}:-}\n`).join('');
  return `${compose.slice(0, before)}\n${lines}${compose.slice(after)}`;
}

function write(name, render) {
  const path = join(root, name);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const after = render(before);
  if (after === before) return;
  if (check) wrong.push(name);
  else writeFileSync(path, after);
}
