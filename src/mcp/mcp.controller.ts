import { createHash } from 'node:crypto';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { Controller, HttpCode, Post, Req, Res, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Client } from '../client/index.js';
import { createMcpServer } from './mcp-server.js';
import { CurrentPrincipal, LOCAL, type Principal } from '../http/access/principal.js';
import { Requires } from '../http/access/requires.js';
import { Takes } from '../http/openapi.js';
import { SESSION_COOKIE, sessionOf, Sessions } from '../http/access/sessions.js';

/**
 * The credentials of an MCP request that are forwarded to the API, which decides what they allow.
 */
const FORWARDED = ['authorization', 'x-api-key', 'cookie'] as const;

type Headers = Record<string, string>;

/**
 * MCP over HTTP at `/mcp`, for hosts of both protocol eras. A request is served through the API of
 * this process.
 */
@ApiTags('mcp')
@Controller({ path: 'mcp', version: VERSION_NEUTRAL })
@Requires('chat')
export class McpController {
  constructor(private readonly sessions: Sessions) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({ summary: 'A message of the Model Context Protocol (docs/mcp.md)' })
  @Takes(z.looseObject({ jsonrpc: z.literal('2.0'), method: z.string() }), {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
  })
  @ApiProduces('application/json', 'text/event-stream')
  @ApiResponse({ status: 200, description: 'Messages of the protocol', schema: { type: 'object' } })
  @ApiResponse({ status: 202, description: 'A notification was accepted' })
  async serve(
    @Req() request: Request,
    @Res() response: Response,
    @CurrentPrincipal() principal: Principal,
  ): Promise<void> {
    const headers = credentialsIn(request, principal) ?? (await this.lend(response, principal));
    const client = new Client(ownUrl(request), { headers });
    const handler = createMcpHandler(() => createMcpServer(client));
    response.once('close', () => void handler.close());
    await toNodeHandler(handler)(request, response, request.body as unknown);
  }

  /**
   * A session for the time of the request, for the principal that a trusted proxy names: the API
   * does not trust the headers of a proxy from this process.
   */
  private async lend(response: Response, principal: Principal): Promise<Headers> {
    const { token } = await this.sessions.start(principal);
    // A session that remains expires.
    const end = () => void this.sessions.end(token).catch(() => undefined);
    if (response.closed) end();
    else response.once('close', end);
    return { cookie: `${SESSION_COOKIE}=${token}` };
  }
}

/** The address at which this process received the request. */
function ownUrl({ socket }: Request): string {
  const address = (socket.localAddress ?? '127.0.0.1').replace(/^::ffff:(?=\d+\.)/, '');
  const host = address.includes(':') ? `[${address}]` : address;
  return `http://${host}:${socket.localPort}`;
}

/**
 * Undefined if a request has no cookie of its own. Without authentication, conversations then
 * belong to the address of the host, as they would without MCP.
 */
function credentialsIn(request: Request, principal: Principal): Headers | undefined {
  const headers: Headers = {};
  for (const name of FORWARDED) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  if (principal === LOCAL) return Object.keys(headers).length > 0 ? headers : callerAt(request);
  // Cookies may be those of the proxy.
  const { cookie: _, ...keys } = headers;
  return Object.keys(keys).length > 0 || sessionOf(request) !== undefined ? headers : undefined;
}

function callerAt({ socket }: Request): Headers {
  const address = socket.remoteAddress ?? '';
  const caller = createHash('sha256').update(`mcp ${address}`).digest('hex');
  return { cookie: `consilium_caller=${caller}` };
}
