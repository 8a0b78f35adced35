// The programs of the cluster, from Debian's packages: PostgreSQL, Patroni, etcd and HAProxy. Those that this machine lacks are
// downloaded once into a cache folder and unpacked there. Nothing is installed, and no file outside of the folder is touched.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where the programs are, and the environment that they need. */
export interface Programs {
  postgresBin: string
  patroni: string
  etcd: string
  haproxy: string
  python: string
  env: Record<string, string>
}

const wanted = ['patroni', 'etcd-server', 'haproxy', 'postgresql-15', 'postgresql-client-15', 'python3-psycopg2']

/** Not below a home folder: PostgreSQL runs as another account, which must read it. */
const cache = process.env.TWAIN_FAILOVER_CACHE ?? join(tmpdir(), 'twain-failover-packages')

const python = '/usr/bin/python3'

/** Throws an error that says what is missing. */
export function unpackPrograms(report: (line: string) => void): Programs {
  if (!existsSync(python)) throw new Error(`npm run failover needs ${python}: Patroni is written in Python.`)
  const root = join(cache, 'root')
  if (!existsSync(root)) {
    report(`downloading Debian packages to ${cache}`)
    download(root)
  }
  return {
    postgresBin: inRoot(root, 'usr/lib/postgresql/15/bin'),
    patroni: inRoot(root, 'usr/bin/patroni'),
    etcd: inRoot(root, 'usr/bin/etcd'),
    haproxy: inRoot(root, 'usr/sbin/haproxy'),
    python,
    env: {
      PATH: process.env.PATH ?? '',
      LANG: 'C.UTF-8',
      PYTHONPATH: join(root, 'usr/lib/python3/dist-packages'),
      LD_LIBRARY_PATH: join(root, 'usr/lib', `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`),
      // etcd asks for this on every processor but x86.
      ETCD_UNSUPPORTED_ARCH: process.arch,
    },
  }
}

/** A program that this machine has was not downloaded. */
function inRoot(root: string, path: string): string {
  return existsSync(join(root, path)) ? join(root, path) : join('/', path)
}

/** The folder gets its name when it is complete. */
function download(root: string): void {
  const [archives, unfinished] = [join(cache, 'archives'), `${root}.unfinished`]
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(archives, { recursive: true, mode: 0o755 })
  try {
    execFileSync('apt-get', ['download', ...missingPackages()], { cwd: archives, stdio: ['ignore', 'ignore', 'pipe'] })
  } catch (error) {
    throw new Error(
      `npm run failover can't download Debian packages, so that there is no cluster to test: ${String(error)}\n` +
        'It needs apt-get and dpkg of Debian 12, and a package source (apt-get update).',
    )
  }
  for (const name of readdirSync(archives).filter((file) => file.endsWith('.deb')))
    execFileSync('dpkg', ['-x', join(archives, name), unfinished])
  renameSync(unfinished, root)
}

/** The packages that this machine lacks, with their libraries. */
function missingPackages(): string[] {
  const only = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map((kind) => `--no-${kind}`)
  const needed = linesOf('apt-cache', ['depends', '--recurse', ...only, ...wanted]).filter((line) => /^\w/.test(line))
  const present = new Set(linesOf('dpkg-query', ['-W', '-f', `${'$'}{Package}\n`]))
  const libraries = needed.filter((name) => /^(lib|python3-)/.test(name))
  return [...new Set([...wanted, ...libraries])].filter((name) => !present.has(name))
}

function linesOf(command: string, args: string[]): string[] {
  return execFileSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).split('\n')
}
