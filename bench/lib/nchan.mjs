// nginx with Nchan and its Redis store, as Debian packages them.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endWithRow, rssOf } from './helper.mjs';
import { fromDist, WORK } from './product.mjs';

const PACKAGES = ['nginx-light', 'libnginx-mod-nchan'];
const MODULE = '/usr/lib/nginx/modules/ngx_nchan_module.so';

/** The reason why Nchan cannot be measured, with the command that installs it, or undefined. */
export const missingNchan = () =>
  existsSync(MODULE)
    ? undefined
    : `it is not installed (Debian: apt-get install --no-install-recommends ${PACKAGES.join(' ')})`;

export const nchanVersion = () => {
  const { stderr } = spawnSync('nginx', ['-v'], { encoding: 'utf8' });
  const packaged = spawnSync('dpkg-query', ['-W', '-f', '${Version}', PACKAGES[1]], {
    encoding: 'utf8',
  }).stdout;
  return `${stderr.trim().replace('nginx version: ', '')}, Nchan ${packaged}`;
};

/** Buffers are large enough for all messages, so that Nchan loses none. */
const configuration = (folder, port, redisPort, workers) => `
load_module ${MODULE};
user root;
daemon off;
worker_processes ${workers};
worker_rlimit_nofile 20000;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log error;
events { worker_connections 19000; multi_accept on; }
http {
  access_log off;
  tcp_nodelay on;
  keepalive_requests 100000000;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  nchan_shared_memory_size 512M;
  upstream store { nchan_redis_server redis://127.0.0.1:${redisPort}; }
  server {
    listen 127.0.0.1:${port} backlog=4096 reuseport;
    location ~ /pub/([\\w-]+)$ {
      nchan_publisher; nchan_channel_id $1; nchan_redis_pass store;
      nchan_message_buffer_length 1000000; nchan_message_timeout 1h;
    }
    location ~ /sub/([\\w-]+)$ {
      nchan_subscriber eventsource; nchan_channel_id $1; nchan_redis_pass store;
      nchan_subscriber_first_message oldest; nchan_eventsource_ping_interval 15;
    }
  }
}
`;

export async function startNchan(redisPort, workers = 1) {
  const [{ startGuarded }, { freePort }] = await Promise.all(
    ['local/guarded-process.js', 'local/loopback.js'].map(fromDist),
  );
  const port = await freePort();
  const folder = join(WORK, `nchan-${port}`);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configuration(folder, port, redisPort, workers));
  const server = startGuarded(['nginx', '-p', folder, '-c', file], {
    output: openSync(join(folder, 'out.log'), 'a'),
    scratchDir: '',
  });
  const stop = async () => {
    forget();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const forget = endWithRow(stop);
  await untilItAnswers(port);
  return {
    url: `http://127.0.0.1:${port}`,
    /** Memory of all worker processes, kB, with the shared memory that they have touched. */
    rss: () => workersOf(folder).reduce((total, pid) => total + rssOf(pid), 0),
    stop,
  };
}

function workersOf(folder) {
  const master = readFileSync(join(folder, 'nginx.pid'), 'utf8').trim();
  return readFileSync(`/proc/${master}/task/${master}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number);
}

/** Nchan listens before it is connected to its Redis, and answers 503 until then. */
async function untilItAnswers(port) {
  for (let tries = 0; tries < 200; tries++) {
    const posted = await fetch(`http://127.0.0.1:${port}/pub/ready`, {
      method: 'POST',
      body: 'ready',
    }).catch(() => undefined);
    await posted?.arrayBuffer();
    if (posted?.ok) return;
    await sleep(50);
  }
  throw new Error('Nchan did not start; see bench/.work');
}
