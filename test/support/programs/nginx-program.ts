import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './prometheus-program.js';
import { until } from '../until.js';

/** Whether nginx is installed (Debian: `apt-get install nginx-light`). */
export function hasNginx(): boolean {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export interface Nginx {
  url: string;
  errorLog: string;
  stop(): Promise<void>;
}

/** A real nginx with its status at `/status` and these further locations. */
export async function startNginx(locations = '', connections = 16): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  const errorLog = join(folder, 'error.log');
  const config = join(folder, 'nginx.conf');
  const port = await freePort();
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  writeFileSync(
    config,
    `daemon off; master_process off; pid ${folder}/pid; error_log ${errorLog};
     events { worker_connections ${connections}; }
     http { access_log off; ${paths.join(' ')}
       server { listen 127.0.0.1:${port}; location = /status { stub_status; } ${locations} } }`,
  );
  const server = spawn('nginx', ['-p', folder, '-e', errorLog, '-c', config], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  await until(
    'nginx is ready',
    async () => (await fetch(`${url}/status`).catch(() => undefined))?.ok === true,
  );
  return {
    url,
    errorLog,
    stop: async () => {
      server.kill('SIGKILL');
      await once(server, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}
