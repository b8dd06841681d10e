import { parseArgs } from 'node:util';
import { Client } from '../client/index.js';
import { STANDARD_SERVER } from './approval/approve-command.js';
import { listApprovals, openApprovals } from './approval/open-approvals.js';
import { commandName } from './command-name.js';
import { keyHeaders } from './key-headers.js';
import { printError } from './print-error.js';
import { oneLine } from './report/layout.js';
import { wrongOption } from './wrong-option.js';

const USAGE = `Approves or refuses a change that a run asks for.

Usage: ${commandName('approve')}                            list what all runs ask for, with the command that approves it
       ${commandName('approve')} RUN                        list what one run asks for
       ${commandName('approve')} RUN APPROVAL [--refuse]    approve it, or refuse it

      --reason TEXT  for the log of the run
      --server URL   the service (default: ${STANDARD_SERVER})
  -h, --help         print this help

CONSILIUM_API_KEY must be the key of an operator, if the service has AUTH=keys.
`;

const OPTIONS = {
  server: { type: 'string', default: STANDARD_SERVER },
  refuse: { type: 'boolean', default: false },
  reason: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** @returns what to print */
async function run(): Promise<string> {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const [runId, approvalId] = positionals;
  if (values.help) return USAGE;
  const client = new Client(values.server, { headers: keyHeaders() });
  if (runId === undefined || approvalId === undefined) return listApprovals(client, runId);
  const open = await openApprovals(client, runId);
  const approval = open.find((each) => each.approvalId === approvalId);
  if (!approval)
    throw new Error(
      `The run does not ask for ${approvalId}, or it was decided. \`${commandName('approve')} ${runId}\` lists what it asks for.`,
    );
  const decision = values.refuse ? 'deny' : 'approve';
  const { reason } = values;
  await client.decide(
    runId,
    { approval_id: approvalId, args_digest: approval.argsDigest },
    { decision, ...(reason !== undefined && { reason }) },
  );
  return `${decision === 'approve' ? 'Approved' : 'Refused'}: ${oneLine(approval.message)}`;
}

try {
  console.log(await run());
} catch (error) {
  printError(wrongOption(error, OPTIONS));
  process.exitCode = 1;
}
