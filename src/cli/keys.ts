import { parseArgs } from 'node:util';
import { Http } from '../client/http.js';
import { makeApiKey } from '../http/access/api-key.js';
import { allowed, quote } from '../lib/text.js';
import { printError } from './print-error.js';
import { wrongOption } from './wrong-option.js';
import { keyHeaders } from './key-headers.js';

const USAGE = `Manages the API keys of a running service (AUTH=keys).

Usage: consilium keys make                          print a new key for the file AUTH_BOOTSTRAP_KEY_FILE; needs no service
       consilium keys create --name N --role R      create a key and print it once
       consilium keys list                          list all keys, without their secrets
       consilium keys rotate ID                     create a key with the same name, role, tenant and days, and revoke the old one
       consilium keys revoke ID                     refuse the key from now on

      --server URL   the service (default: http://127.0.0.1:3000)
      --name NAME    name of the key's principal
      --role ROLE    viewer, trigger, operator or admin
      --tenant NAME  tenant of the key (default: that of CONSILIUM_API_KEY)
      --days DAYS    days until it expires (default: never)
  -h, --help         print this help

The variable CONSILIUM_API_KEY must hold the key of an admin, except for make.
Exit codes: 0 done, 2 could not do it.
`;

const OPTIONS = {
  server: { type: 'string', default: 'http://127.0.0.1:3000' },
  name: { type: 'string' },
  role: { type: 'string' },
  tenant: { type: 'string' },
  days: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const COMMANDS = ['make', 'create', 'list', 'rotate', 'revoke'];

interface Key {
  id: string;
  tenant: string;
  name: string;
  role: string;
  createdAt: number;
  expiresAt?: number;
  revokedAt?: number;
  lastUsedAt?: number;
}

const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);

function lineOf({ id, tenant, name, role, createdAt, lastUsedAt, ...ends }: Key): string {
  const { expiresAt, revokedAt } = ends;
  const use = lastUsedAt === undefined ? 'never used' : `used ${day(lastUsedAt)}`;
  const end =
    revokedAt !== undefined
      ? `revoked ${day(revokedAt)}`
      : expiresAt !== undefined
        ? `expires ${day(expiresAt)}`
        : '';
  return `${id}  ${role.padEnd(8)}  ${name.padEnd(20)}  ${tenant.padEnd(10)}  created ${day(createdAt)}  ${use}  ${end}`.trimEnd();
}

type Options = ReturnType<typeof parse>['values'];
const parse = () => parseArgs({ options: OPTIONS, allowPositionals: true });

/** @returns what to print */
async function run([command, id = '']: string[], options: Options): Promise<string> {
  const { server, name, role, tenant } = options;
  if (command === 'make') return makeApiKey().key;
  const http = new Http(server, keyHeaders());
  const path = '/api/service/v1/keys';
  const list = async () => (await http.json<{ items: Key[] }>('GET', path)).items;
  const create = async (key: object) => {
    const body = { ...key, ...daysOf(options) };
    return (await http.json<{ key: string }>('POST', path, { body })).key;
  };
  switch (command) {
    case 'create':
      for (const [option, value] of Object.entries({ name, role }))
        if (value === undefined)
          throw new Error(`--${option} is missing: consilium keys create --name NAME --role ROLE.`);
      return create({ name, role, tenant });
    case 'list': {
      const keys = await list();
      return keys.length === 0 ? 'There are no API keys.' : keys.map(lineOf).join('\n');
    }
    case 'rotate': {
      const old = (await list()).find((key) => key.id === idGiven(command, id));
      if (!old) throw new Error(`There is no API key ${id}. \`consilium keys list\` shows all.`);
      if (old.revokedAt !== undefined)
        throw new Error(
          `The API key ${id} is revoked. \`consilium keys create\` makes another one.`,
        );
      const { name, role, tenant } = old;
      const made = await create({ name, role, tenant, ...lifeOf(old) });
      await http.json('DELETE', `${path}/${encodeURIComponent(id)}`);
      return made;
    }
    case 'revoke':
      await http.json('DELETE', `${path}/${encodeURIComponent(idGiven(command, id))}`);
      return `The API key ${id} is revoked. Processes that know it accept it for up to 5 s.`;
    default:
      throw new Error(
        `${command === undefined ? 'Name what to do' : `There is no command ${quote(`keys ${command}`)}`}: ${allowed(command ?? '', COMMANDS)}. \`consilium keys --help\` describes them.`,
      );
  }
}

function idGiven(command: string, id: string): string {
  if (id !== '') return id;
  throw new Error(
    `The id of the API key is missing: consilium keys ${command} ID. \`consilium keys list\` shows the ids.`,
  );
}

const DAY_MS = 86_400_000;

/** How long a key was to last when it was made. */
const lifeOf = ({ createdAt, expiresAt }: Key): { days?: number } =>
  expiresAt === undefined ? {} : { days: Math.round((expiresAt - createdAt) / DAY_MS) };

function daysOf({ days }: Options): { days?: number } {
  if (days === undefined) return {};
  if (/^[1-9]\d{0,4}$/.test(days)) return { days: Number(days) };
  throw new Error(`--days must be a number of days, as in --days 90; not ${JSON.stringify(days)}`);
}

async function main(): Promise<void> {
  try {
    const { values, positionals } = parse();
    console.log(values.help ? USAGE : await run(positionals, values));
  } catch (error) {
    printError(wrongOption(error, OPTIONS));
    process.exitCode = 2;
  }
}

await main();
