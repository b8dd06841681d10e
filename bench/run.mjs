// `node bench/run.mjs [--only ROW,ROW] [--rounds N] [--quick | --growth]`: measures the product
// beside its references and writes bench/RESULTS.md (about twenty minutes on two cores), or
// bench/GROWTH.md (each row at 0.1, 1 and 10 times its size). With --only or --quick the result is
// printed and no file is written.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../scripts/lib/build.mjs';
import { ensureInstalled } from '../scripts/lib/install.mjs';

const HERE = import.meta.dirname;
const ROOT = join(HERE, '..');
const WORK = join(HERE, '.work');
const ROWS = [
  'fan-out',
  'steady',
  'many-runs',
  'idle',
  'append',
  'replay',
  'cost-of-a-run',
  'first-event',
  'access',
  'tree',
  'conclusion',
  'tokens',
  'console',
];
const say = (line) => console.error(line);

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string' },
    quick: { type: 'boolean' },
    growth: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});
if (options.help) {
  console.log(
    `npm run bench -- [--only ROW,ROW] [--rounds N] [--quick | --growth]\nRows: ${ROWS.join(', ')}`,
  );
  process.exit(0);
}
const wanted = options.only?.split(',') ?? ROWS;
const unknown = wanted.filter((row) => !ROWS.includes(row));
if (unknown.length > 0) {
  console.error(`No such row: ${unknown.join(', ')}. There are: ${ROWS.join(', ')}.`);
  process.exit(2);
}

if (
  !(await ensureInstalled(ROOT, { forBuild: true })) ||
  !(await ensureInstalled(HERE, { forBuild: true })) ||
  !(await ensureBuilt(ROOT))
)
  process.exit(1);

// These imports need the build and the packages.
const [
  { endRow },
  { missingNchan },
  { startRedis },
  { describeMachine },
  { renderReport, renderRow, renderTargets },
  { Table },
] = await Promise.all(
  ['helper', 'nchan', 'redis', 'machine', 'report', 'table'].map(
    (name) => import(`./lib/${name}.mjs`),
  ),
);

mkdirSync(WORK, { recursive: true });
const withoutNchan = missingNchan();
if (withoutNchan) say(`Nchan is not measured: ${withoutNchan}`);
const machine = describeMachine(!withoutNchan);
const began = Date.now();
const tables = [];
const rendered = [];
for (const size of options.growth ? [0.1, 1, 10] : [1])
  for (const name of wanted) {
    const row = await import(`./rows/${name}.mjs`);
    const table = await measure(row, name, size);
    // Targets apply to full size only.
    if (options.growth) table.targets = [];
    tables.push({ title: row.title, table });
    const title = options.growth ? `${row.title}, at ${size} times its size` : row.title;
    const about = options.growth && size !== 1 ? 'As above.' : row.about;
    rendered.push(
      renderRow(
        { title, about },
        table,
        `node bench/run.mjs${options.growth ? ' --growth' : ''} --only ${name}`,
      ),
    );
  }
finish();

async function measure(row, name, size) {
  const reps = Number(options.rounds ?? (options.quick ? 1 : options.growth ? 3 : 5));
  const since = Date.now();
  say(`${name}${size === 1 ? '' : ` at ${size} times its size`} ...`);
  const redis = await startRedis();
  try {
    const table = await row.run({
      redis,
      withNchan: !withoutNchan,
      reps,
      size,
      brief: options.quick === true,
      say,
    });
    if (withoutNchan) table.note(`Nchan was not measured: ${withoutNchan}`);
    return table;
  } catch (error) {
    // A row that fails does not stop the others.
    say(`${name} could not be measured: ${error.stack}`);
    process.exitCode = 1;
    const table = new Table();
    table.note(`Could not be measured: ${String(error.message).split('\n')[0]}`);
    return table;
  } finally {
    await endRow();
    await redis.stop();
    say(`${name}: ${Math.round((Date.now() - since) / 1_000)} s`);
  }
}

function finish() {
  const command = `node bench/run.mjs${options.growth ? ' --growth' : ''}`;
  const minutes = Math.max(1, Math.round((Date.now() - began) / 60_000));
  if (options.only || options.quick) {
    console.log(rendered.join('\n\n'));
  } else {
    const file = join(HERE, options.growth ? 'GROWTH.md' : 'RESULTS.md');
    const heading = options.growth ? 'How cost grows' : 'Results';
    const targets = options.growth ? undefined : renderTargets(tables);
    writeFileSync(
      file,
      renderReport({ heading, machine, targets, rows: rendered, command, minutes }),
    );
    spawnSync(
      process.execPath,
      [
        join(ROOT, 'node_modules/prettier/bin/prettier.cjs'),
        '--write',
        '--log-level',
        'warn',
        file,
      ],
      {
        stdio: 'inherit',
      },
    );
    say(`Written: ${file}`);
  }
  if (!process.env.BENCH_PROFILE) rmSync(WORK, { recursive: true, force: true });
}
