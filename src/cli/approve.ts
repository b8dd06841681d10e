import { parseArgs } from 'node:util';
import { Client, type EventData } from '../client/index.js';
import { commandName } from './command-name.js';
import { keyHeaders } from './key-headers.js';
import { printError } from './print-error.js';
import { oneLine } from './report/layout.js';
import { wrongOption } from './wrong-option.js';

const USAGE = `Approves or refuses a change that a run asks for.

Usage: ${commandName('approve')} RUN                        list what the run asks for
       ${commandName('approve')} RUN APPROVAL [--refuse]    approve it, or refuse it

      --reason TEXT  for the log of the run
      --server URL   the service (default: http://127.0.0.1:3000)
  -h, --help         print this help

CONSILIUM_API_KEY must be the key of an operator, if the service has AUTH=keys.
`;

const OPTIONS = {
  server: { type: 'string', default: 'http://127.0.0.1:3000' },
  refuse: { type: 'boolean', default: false },
  reason: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** The approvals of a run that have no decision, as of now. */
async function openApprovals(
  client: Client,
  runId: string,
): Promise<EventData['system.approval'][]> {
  const { lastSequence } = await client.show(runId);
  const open = new Map<string, EventData['system.approval']>();
  if (lastSequence === 0) return [];
  for await (const event of client.follow(runId)) {
    if (event.name === 'system.approval') open.set(event.data.approval_id, event.data);
    if (event.name === 'system.decision') open.delete(event.data.approval_id);
    if (event.sequence >= lastSequence) break;
  }
  return [...open.values()];
}

const lineOf = ({ approval_id, message, risk, expires_at }: EventData['system.approval']): string =>
  oneLine(`${approval_id}  ${message} ${risk} Expires at ${expires_at}.`);

/** @returns what to print */
async function run(): Promise<string> {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const [runId, approvalId] = positionals;
  if (values.help) return USAGE;
  if (runId === undefined) throw new Error(`Name the run.\n\n${USAGE}`);
  const client = new Client(values.server, { headers: keyHeaders() });
  const open = await openApprovals(client, runId);
  if (approvalId === undefined)
    return open.length === 0 ? 'The run asks for nothing.' : open.map(lineOf).join('\n');
  const approval = open.find(({ approval_id }) => approval_id === approvalId);
  if (!approval) throw new Error(`The run does not ask for ${approvalId}, or it was decided.`);
  const decision = values.refuse ? 'deny' : 'approve';
  const { reason } = values;
  await client.decide(runId, approval, { decision, ...(reason !== undefined && { reason }) });
  return `${decision === 'approve' ? 'Approved' : 'Refused'}: ${oneLine(approval.message)}`;
}

try {
  console.log(await run());
} catch (error) {
  printError(wrongOption(error, OPTIONS));
  process.exitCode = 1;
}
