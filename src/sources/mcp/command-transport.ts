import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  ReadBuffer,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { atMost } from '../../lib/async.js';

/** How long a server may take to end after its input has ended. */
const GOODBYE_MS = 500;
const MOST_ERRORS = 300;

export interface CommandServer {
  /** The program and its arguments. */
  command: readonly string[];
  /** All variables that it gets besides PATH and LANG. */
  env: Readonly<Record<string, string>>;
  /** Maximum bytes of its whole output. */
  mostBytes: number;
  /** Called once if it ends by itself, cannot be started or writes too much. */
  broken: (why: Error) => void;
}

/**
 * Standard input and output of an MCP server that runs as a process group, with nothing of this
 * process's environment, and ends with all processes that it started. The SDK's own transport
 * passes HOME and USER on, limits single messages only, and ends one process.
 */
export class CommandTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  private child: ChildProcess | undefined;
  private errors = '';
  private read = 0;
  private readonly buffer: ReadBuffer;

  constructor(private readonly server: CommandServer) {
    this.buffer = new ReadBuffer({ maxBufferSize: server.mostBytes });
  }

  async start(): Promise<void> {
    const { command, env, broken } = this.server;
    const [program = '', ...args] = command;
    const child = spawn(program, args, {
      cwd: '/',
      env: { PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      // The leader of a group of its own, so that its children end with it.
      detached: true,
    });
    this.child = child;
    child.stdin.on('error', () => undefined); // It has ended, which `close` reports.
    child.stdout.on('data', (bytes: Buffer) => this.take(bytes));
    child.stderr.on('data', (bytes: Buffer) => {
      this.errors = (this.errors + bytes.toString('utf8')).slice(-MOST_ERRORS);
    });
    child.once('close', (code) => {
      broken(new Error(`the server ended (${code ?? 'signal'}) ${this.errors.trim()}`.trim()));
      this.onclose?.();
    });
    await once(child, 'spawn');
  }

  send(message: JSONRPCMessage): Promise<void> {
    this.child?.stdin?.write(serializeMessage(message));
    return Promise.resolve();
  }

  async close(): Promise<void> {
    const { child } = this;
    if (child?.pid === undefined) return;
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : [];
    child.stdin?.end();
    await atMost(GOODBYE_MS, Promise.resolve(ended), []);
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The whole group has ended.
    }
  }

  private take(bytes: Buffer): void {
    this.read += bytes.length;
    if (this.read > this.server.mostBytes) {
      this.server.broken(new Error(`the server wrote more than ${this.server.mostBytes} bytes`));
      this.child?.stdout?.destroy();
      return;
    }
    this.buffer.append(bytes);
    for (;;) {
      try {
        const message = this.buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        this.onerror?.(error as Error); // A line that is not a message is skipped.
      }
    }
  }
}
