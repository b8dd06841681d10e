import { parseArgs } from 'node:util';
import { makeApiKey } from '../http/access/api-key.js';
import { printError } from './print-error.js';
import { wrongOption } from './wrong-option.js';
import { keyHeaders } from './key-headers.js';

const USAGE = `Manages the API keys of a running Consilium (AUTH=keys).

Usage: consilium keys make                          print a key for AUTH_BOOTSTRAP_KEY_FILE; nothing is stored
       consilium keys create --name N --role R      create a key and print it once
       consilium keys list
       consilium keys rotate ID                     create a key with the same name, role and tenant, and revoke this one
       consilium keys revoke ID

      --server URL   the service (default: http://127.0.0.1:3000)
      --name NAME    name of the key's principal
      --role ROLE    viewer, trigger, operator or admin
      --tenant NAME  tenant of the key (default: that of CONSILIUM_API_KEY)
      --days DAYS    days until it expires (default: never)
  -h, --help         print this help

CONSILIUM_API_KEY must be the key of an admin.
`;

const OPTIONS = {
  server: { type: 'string', default: 'http://127.0.0.1:3000' },
  name: { type: 'string' },
  role: { type: 'string' },
  tenant: { type: 'string' },
  days: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

interface Key {
  id: string;
  tenant: string;
  name: string;
  role: string;
  createdAt: number;
  expiresAt?: number;
  revokedAt?: number;
}

/** @throws Error with the message of the service */
async function ask<Data>(server: string, method: string, path: string, body?: object) {
  const response = await fetch(`${server.replace(/\/$/, '')}/api/service/v1/keys${path}`, {
    method,
    headers: {
      accept: 'application/json',
      ...keyHeaders(),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as {
    message: string;
    data: Data & { errors?: { path: string; message: string }[] };
  };
  if (response.ok) return answer.data;
  const faults = answer.data?.errors?.map(({ path, message }) => `${path} ${message}`) ?? [];
  throw new Error([answer.message, ...faults].join('\n'));
}

const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);

function lineOf({ id, tenant, name, role, createdAt, expiresAt, revokedAt }: Key): string {
  const end =
    revokedAt !== undefined
      ? `revoked ${day(revokedAt)}`
      : expiresAt !== undefined
        ? `expires ${day(expiresAt)}`
        : '';
  return `${id}  ${role.padEnd(8)}  ${name.padEnd(20)}  ${tenant.padEnd(10)}  created ${day(createdAt)}  ${end}`.trimEnd();
}

type Options = ReturnType<typeof parse>['values'];
const parse = () => parseArgs({ options: OPTIONS, allowPositionals: true });

/** @returns what to print */
async function run([command = '', id = '']: string[], options: Options): Promise<string> {
  const { server, name, role, tenant, days } = options;
  switch (command) {
    case 'make':
      return makeApiKey().key;
    case 'create': {
      const wanted = { name, role, tenant, ...(days !== undefined && { days: Number(days) }) };
      return (await ask<{ key: string }>(server, 'POST', '', wanted)).key;
    }
    case 'list': {
      const { items } = await ask<{ items: Key[] }>(server, 'GET', '');
      return items.map(lineOf).join('\n');
    }
    case 'rotate': {
      const { items } = await ask<{ items: Key[] }>(server, 'GET', '');
      const old = items.find((key) => key.id === id);
      if (!old) throw new Error(`There is no key ${id}.`);
      const made = await ask<{ key: string }>(server, 'POST', '', {
        name: old.name,
        role: old.role,
        tenant: old.tenant,
        ...(days !== undefined && { days: Number(days) }),
      });
      await ask(server, 'DELETE', `/${id}`);
      return made.key;
    }
    case 'revoke':
      await ask(server, 'DELETE', `/${encodeURIComponent(id)}`);
      return `Revoked ${id}. It stops working within 5 s.`;
    default:
      throw new Error(`Say what to do: make, create, list, rotate or revoke.\n\n${USAGE}`);
  }
}

async function main(): Promise<void> {
  try {
    const { values, positionals } = parse();
    console.log(values.help ? USAGE : await run(positionals, values));
  } catch (error) {
    printError(wrongOption(error, OPTIONS));
    process.exitCode = 1;
  }
}

await main();
