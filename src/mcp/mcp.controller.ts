import { createHash } from 'node:crypto';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { Controller, HttpCode, Post, Req, Res, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Client } from '../client/index.js';
import { createMcpServer } from './mcp-server.js';
import { Requires } from '../http/access/requires.js';

/** The credentials of an MCP request that are forwarded to the API, which decides what they allow. */
const FORWARDED = ['authorization', 'x-api-key', 'cookie'] as const;

/** MCP over HTTP at `/mcp`, for hosts of both protocol eras. A request is served through the API of this process. */
@ApiExcludeController()
@Controller({ path: 'mcp', version: VERSION_NEUTRAL })
@Requires('chat')
export class McpController {
  @Post()
  @HttpCode(200)
  async serve(@Req() request: Request, @Res() response: Response): Promise<void> {
    const client = new Client(ownUrl(request), { headers: credentials(request) });
    const handler = createMcpHandler(() => createMcpServer(client));
    response.once('close', () => void handler.close());
    await toNodeHandler(handler)(request, response, request.body as unknown);
  }
}

/** The address at which this process received the request. */
function ownUrl({ socket }: Request): string {
  const address = (socket.localAddress ?? '127.0.0.1').replace(/^::ffff:(?=\d+\.)/, '');
  const host = address.includes(':') ? `[${address}]` : address;
  return `http://${host}:${socket.localPort}`;
}

/** Without a credential, conversations belong to the address of the host, as they would without MCP. */
function credentials(request: Request): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of FORWARDED) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  if (Object.keys(headers).length > 0) return headers;
  const address = request.socket.remoteAddress ?? '';
  const caller = createHash('sha256').update(`mcp ${address}`).digest('hex');
  return { cookie: `consilium_caller=${caller}` };
}
