import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as send, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose';
import { makeApiKey } from '../../src/http/access/api-key.js';
import type { Api } from '../support/api.js';
import { Scene } from '../support/scene.js';
import { topologyOf, type NodeSketch } from '../support/incidents/topology.js';

/** The ways to authenticate; each service of the suite has one. */
export const WAYS = ['none', 'keys', 'jwt', 'proxy'] as const;
export type Way = (typeof WAYS)[number];

type Headers = Record<string, string>;

export interface Sent {
  method?: string;
  /** Two values: the header is sent twice. */
  headers?: Record<string, string | string[]>;
  body?: string;
  /** Address that the attacker connects from. */
  from?: string;
}

export interface Heard {
  status: number;
  headers: IncomingMessage['headers'];
  said: string;
}

/**
 * A service with one way to authenticate, an admin of it as the attacker, and whatever bytes that
 * one likes to send.
 */
export class AttackScene {
  private constructor(
    readonly scene: Scene,
    readonly api: Api,
    /** What the attacker is let in with: an admin, the most that a caller can be. */
    readonly insider: Headers,
    readonly token: TokenMaker,
    private readonly folder: string,
  ) {}

  /** @param more variables of the service */
  static async open(way: Way, more: Record<string, string> = {}): Promise<AttackScene> {
    const scene = new Scene();
    const folder = await mkdtemp(join(tmpdir(), 'consilium-attacks-'));
    const token = await TokenMaker.open(scene);
    const { key } = makeApiKey();
    await writeFile(join(folder, 'key'), key);
    const seal = join(folder, 'seal');
    await writeFile(seal, `1:${randomBytes(32).toString('base64')}`);
    const groups = { GROUP_ROLES: 'root=admin' };
    const env = {
      none: {},
      keys: { AUTH_BOOTSTRAP_KEY_FILE: join(folder, 'key') },
      jwt: { OIDC_ISSUER: token.issuer, OIDC_AUDIENCE: 'consilium', ...groups },
      proxy: { TRUSTED_PROXIES: '127.0.0.1', ...groups },
    }[way];
    const open = {
      REQUESTS_PER_MINUTE: '0',
      FAILED_LOGINS_PER_MINUTE: '0',
      SECRETS_KEYS_FILE: seal,
    };
    const api = await scene.service({ AUTH: way, ...env, ...open, ...more });
    const insider: Headers = {
      none: {},
      keys: { authorization: `Bearer ${key}` },
      jwt: { authorization: `Bearer ${await token.sign()}` },
      proxy: { 'x-forwarded-user': 'root', 'x-forwarded-groups': 'root' },
    }[way];
    return new AttackScene(scene, api, insider, token, folder);
  }

  /** Sends any header, unlike `fetch`. @param path from the root */
  async ask(path: string, { method = 'GET', headers = {}, body, from }: Sent = {}): Promise<Heard> {
    const { hostname, port } = new URL(this.api.url);
    const options = { hostname, port, path, method, headers, agent: false };
    const outgoing = send({ ...options, ...(from !== undefined && { localAddress: from }) });
    // The service may answer and hang up before it has read a body.
    outgoing.on('error', () => undefined);
    outgoing.end(body);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    const said = await text(response).catch(() => '');
    return { status: response.statusCode ?? 0, headers: response.headers, said };
  }

  /** As the insider, with JSON. @param path below the base path */
  post(path: string, body: unknown, headers: Headers = {}): Promise<Heard> {
    return this.ask(`/api/service/v1${path}`, {
      method: 'POST',
      headers: { ...this.insider, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** Sends bytes, and returns all that is answered. */
  async raw(bytes: string): Promise<string> {
    const { hostname, port } = new URL(this.api.url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.on('error', () => undefined);
    socket.end(bytes);
    return text(socket);
  }

  /** Whether the service still answers. */
  async isAlive(): Promise<boolean> {
    return (await this.ask('/health/live')).status === 200;
  }

  /** Stores and diagnoses a topology as the insider. @returns how the run ended, and its log */
  async diagnose(
    nodes: Record<string, NodeSketch>,
  ): Promise<{ status: string | undefined; log: string }> {
    const topology = topologyOf(nodes);
    const stored = await this.post('/topologies', topology);
    if (stored.status !== 201) throw new Error(`the topology was not stored: ${stored.said}`);
    const body = { topologyId: topology.id, userMessage: 'What is wrong?' };
    const { said: log } = await this.post('/executions/trigger', body);
    return { status: /^event: lifecycle\.(completed|failed|cancelled)$/m.exec(log)?.[1], log };
  }

  async close(): Promise<void> {
    await this.scene.close();
    await rm(this.folder, { recursive: true });
  }
}

/** An identity provider, and what others make in its name. */
export class TokenMaker {
  private constructor(
    readonly issuer: string,
    private readonly key: CryptoKey,
    readonly stranger: CryptoKey,
    /** What the provider publishes. */
    readonly publicKey: CryptoKey,
  ) {}

  static async open(scene: Scene): Promise<TokenMaker> {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' };
    const server = createServer((request, response) => {
      const { host = '' } = request.headers;
      const answer = request.url?.endsWith('openid-configuration')
        ? { issuer: `http://${host}`, jwks_uri: `http://${host}/keys` }
        : { keys: [jwk] };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    });
    const issuer = `http://127.0.0.1:${await scene.targets.open(server)}`;
    const stranger = await generateKeyPair('ES256');
    return new TokenMaker(issuer, privateKey, stranger.privateKey, publicKey);
  }

  /** @param header in place of `{alg: 'ES256', kid: 'one'}`, or in addition to it */
  sign(
    claims: JWTPayload = {},
    key: CryptoKey | Uint8Array = this.key,
    header: Record<string, unknown> = {},
  ) {
    return new SignJWT({ sub: 'root', groups: ['root'], ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'one', ...header })
      .setIssuer(claims.iss ?? this.issuer)
      .setAudience(claims.aud ?? 'consilium')
      .setExpirationTime(claims.exp ?? '1h')
      .sign(key);
  }
}
