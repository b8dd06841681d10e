import {
  Client,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type JsonSchemaValidatorResult,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client';
import { abortable } from '../../lib/async.js';
import { readSecret } from '../../config/secrets.js';
import { MOST_BYTES } from '../http/source-client.js';
import { withConnection } from '../http/source-connection.js';
import { SourceError } from '../http/source-error.js';
import type { SourceReach } from '../live/source-reach.js';
import { authorizationOf, type ListedMcp } from '../live/sources-file.js';
import { boundedFetch } from './bounded-fetch.js';
import { CommandTransport } from './command-transport.js';

/** Pages of a list of tools. */
const MOST_PAGES = 10;

/** A connection to an MCP server. */
export interface McpSession {
  tools(): Promise<Tool[]>;
  call(tool: string, args: Record<string, unknown>): Promise<CallToolResult>;
}

/**
 * Runs work with one connection to a listed MCP server, which ends with the work. At most 2 MiB are
 * read in all. The client offers nothing to the server: no sampling, no roots, no elicitation.
 * Schemas of the server are not compiled.
 * @throws SourceError; the signal's reason; errors of the work
 */
export async function withMcp<Result>(
  listed: ListedMcp,
  { egress, secretOf }: SourceReach,
  limits: Limits,
  work: (session: McpSession) => Promise<Result>,
): Promise<Result> {
  limits.signal.throwIfAborted();
  const { command, endpoint = '' } = listed;
  if (command !== undefined) {
    const secrets = Object.entries(listed.env).map(
      async ([name, reference]) => [name, await readSecret(reference, secretOf)] as const,
    );
    const env = Object.fromEntries(await Promise.all(secrets));
    const transport = (bounds: Bounds) => new CommandTransport({ ...bounds, command, env });
    return converse(listed, transport, limits, work);
  }
  const authorization = authorizationOf(listed, secretOf);
  const server = { endpoint, egress, ...(authorization && { authorization }) };
  return withConnection(server, (connected) => {
    const transport = (bounds: Bounds) =>
      new StreamableHTTPClientTransport(new URL(endpoint), {
        fetch: boundedFetch(connected, bounds),
      });
    return converse(listed, transport, limits, work);
  });
}

interface Limits {
  signal: AbortSignal;
  timeoutMs: number;
}

/** The limit of a transport, and the function that receives its error. */
interface Bounds {
  mostBytes: number;
  broken: (why: Error) => void;
  signal: AbortSignal;
}

async function converse<Result>(
  listed: ListedMcp,
  transportOf: (bounds: Bounds) => Transport,
  { signal, timeoutMs }: Limits,
  work: (session: McpSession) => Promise<Result>,
): Promise<Result> {
  const end = new AbortController();
  const timeout = AbortSignal.timeout(timeoutMs);
  const options = { signal: AbortSignal.any([signal, end.signal, timeout]), timeout: timeoutMs };
  const client = new Client(
    { name: 'consilium', version: '1' },
    {
      capabilities: {},
      versionNegotiation: { mode: listed.command === undefined ? 'auto' : 'legacy' },
      listMaxPages: MOST_PAGES,
      jsonSchemaValidator: { getValidator: () => unchecked },
    },
  );
  const broken = (why: Error) => end.abort(why);
  try {
    const transport = transportOf({ mostBytes: MOST_BYTES, broken, signal: options.signal });
    // The SDK does not end the initialisation of 2025 when the signal is aborted.
    await abortable(client.connect(transport, options), options.signal);
    return await work({
      tools: async () => (await client.listTools(undefined, options)).tools,
      call: (name, args) => client.callTool({ name, arguments: args }, options),
    });
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(error, { listed, timeoutMs, timeout, end: end.signal });
  } finally {
    await client.close();
  }
}

/** Results are treated as foreign texts; a schema of the server would be code of the server. */
const unchecked = <T>(data: unknown): JsonSchemaValidatorResult<T> => ({
  valid: true,
  data: data as T,
  errorMessage: undefined,
});

interface Ending {
  listed: ListedMcp;
  timeoutMs: number;
  timeout: AbortSignal;
  /** Aborted with the error of the connection. */
  end: AbortSignal;
}

function failureOf(error: unknown, { listed: { id }, timeoutMs, timeout, end }: Ending): Error {
  if (error instanceof SourceError) return error;
  if (end.aborted) {
    const why = (end.reason as Error).message;
    return new SourceError('unreachable', `${id}: ${why}`, { cause: error });
  }
  if (timeout.aborted)
    return new SourceError('unreachable', `${id}: no answer within ${timeoutMs} ms`);
  const status = error instanceof SdkHttpError ? error.status : undefined;
  if (status === 401 || status === 403)
    return new SourceError(
      'refused',
      `${id}: the credential has no right to read (status ${status})`,
      {
        status,
      },
    );
  const why = error instanceof Error ? error.message : String(error);
  return new SourceError('failed', `${id}: ${why.slice(0, 500)}`, { cause: error });
}
