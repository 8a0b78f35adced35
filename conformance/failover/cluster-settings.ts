// The settings of Patroni and HAProxy. They are those of the vendors' documents, with shorter times.

import { join } from 'node:path'
import type { Programs } from './packages.ts'

export interface ServerPlace {
  name: string
  port: number
  /** Of Patroni's REST API. */
  apiPort: number
  folder: string
}

interface PatroniOptions {
  place: ServerPlace
  etcdPort: number
  programs: Programs
  ttl: number
  isSynchronous: boolean
}

export function patroniSettings({ place, etcdPort, programs, ttl, isSynchronous }: PatroniOptions): object {
  const { name, port, apiPort, folder } = place
  return {
    scope: 'twain',
    name,
    restapi: { listen: `127.0.0.1:${apiPort}`, connect_address: `127.0.0.1:${apiPort}` },
    // Not `etcd3`: before version 3.0.3 (Debian 12 has 3.0.2) a primary that was frozen overwrites the lock of its successor there
    // (github.com/patroni/patroni/pull/2689). With this API it changes the lock only if it still has it.
    etcd: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ttl,
        loop_wait: 3,
        retry_timeout: 5,
        maximum_lag_on_failover: 1_048_576,
        synchronous_mode: isSynchronous,
        postgresql: {
          use_pg_rewind: true,
          parameters: { max_connections: 60, shared_buffers: '64MB', wal_log_hints: 'on' },
        },
      },
      initdb: [{ encoding: 'UTF8' }, 'data-checksums', { 'auth-host': 'trust' }, { 'auth-local': 'trust' }],
      pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust', 'local all all trust'],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: join(folder, 'data'),
      bin_dir: programs.postgresBin,
      pgpass: join(folder, 'pgpass'),
      authentication: {
        superuser: { username: 'postgres', password: 'x' },
        replication: { username: 'replicator', password: 'x' },
        rewind: { username: 'rewinder', password: 'x' },
      },
      parameters: { unix_socket_directories: folder },
    },
  }
}

/** Sessions of a server that is no longer the primary are closed. */
export function haproxySettings(proxyPort: number, places: readonly ServerPlace[]): string {
  const servers = places.map(({ name, port, apiPort }) => `  server ${name} 127.0.0.1:${port} check port ${apiPort}`)
  return `global
  maxconn 500
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
listen primary
  bind 127.0.0.1:${proxyPort}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`
}
