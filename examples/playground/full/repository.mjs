import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { folderOf } from './start-program.mjs';

const INSERT = readFileSync(new URL('insert.sql', import.meta.url), 'utf8');
const BAD_INSERT = INSERT.replace('price)', 'price, currency)').replace('$2)', "$2, 'EUR')");

/** Minutes before now, who, what for, and the files. */
const COMMITS = [
  [3000, 'Ada', 'Begin', { 'orders/insert.sql': INSERT, 'README.md': '# Shop\n' }],
  [400, 'Ben', 'Describe the teapots', { 'README.md': '# Shop\n\nSells teapots.\n' }],
  [180, 'Ada', 'Keep stock of cups', { 'inventory/stock.json': '{"teapot":40,"cup":400}\n' }],
  [45, 'Eve', 'Larger buttons', { 'storefront/style.css': 'button { font-size: 2rem }\n' }],
];
const BAD = [12, 'Ben', 'Store the currency of an order', { 'orders/insert.sql': BAD_INSERT }];

/**
 * A real repository of the shop: a day of commits, each deployed by a tag. With `isBad`, the last
 * one makes orders write a column that their table does not have.
 *
 * @returns {{path: string, statement: string, commit: string}} `statement`: the file that orders
 *   read
 */
export function makeRepository(parent, { now, isBad }) {
  const path = folderOf(parent, 'repository');
  const git = (...args) => execFileSync('git', args, { cwd: path, encoding: 'utf8' }).trim();
  const as = (minutes, name, ...args) => {
    const date = `${Math.floor(now / 1000) - minutes * 60} +0000`;
    const settings = ['-c', `user.name=${name}`, '-c', `user.email=${name}@shop.example`];
    const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
    execFileSync(
      'git',
      [...settings, '-c', 'commit.gpgSign=false', '-c', 'tag.gpgSign=false', ...args],
      {
        cwd: path,
        env,
        stdio: 'ignore',
      },
    );
  };
  git('init', '--quiet', '--initial-branch=main');
  [...COMMITS, ...(isBad ? [BAD] : [])].forEach(([minutes, name, message, files], index) => {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(path, file)), { recursive: true });
      writeFileSync(join(path, file), text);
    }
    git('add', '--all');
    as(minutes, name, 'commit', '--quiet', `--message=${message}`);
    as(
      minutes - 2,
      name,
      'tag',
      '--annotate',
      `--message=Go live: ${message}`,
      `deploy-${index + 1}`,
    );
  });
  return { path, statement: join(path, 'orders/insert.sql'), commit: git('rev-parse', 'HEAD') };
}
