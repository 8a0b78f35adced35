// Three PostgreSQL servers under Patroni, one etcd, and HAProxy, which leads to the primary. All on 127.0.0.1, in a folder of its own.

import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { connect } from '../../packages/twain/src/store/postgres/connect/connect.ts'
import { freePort } from '../../scripts/free-port.ts'
import { account, ClusterProcess, processTree } from './cluster-process.ts'
import { haproxySettings, patroniSettings, type ServerPlace } from './cluster-settings.ts'
import { haveFollowed } from './have-followed.ts'
import type { Programs } from './packages.ts'

/** Seconds. 20 is the least that Patroni accepts. */
export const patroniTtl = 20

/** How long the cluster and the writers may take for a step, on a machine with much else to do. */
export const patienceSeconds = 300

interface Server extends ServerPlace {
  patroni: ClusterProcess
}

/** A member as Patroni reports it. */
interface Member {
  name: string
  role: string
}

export class Cluster {
  /** The address of the database that Twain uses. */
  readonly address: string
  readonly #folder: string
  readonly #servers: readonly Server[]
  readonly #etcd: ClusterProcess
  readonly #haproxy: ClusterProcess
  readonly #isSynchronous: boolean

  /** It is not yet healthy. */
  static async start(programs: Programs, isSynchronous: boolean): Promise<Cluster> {
    const folder = mkdtempSync(join(tmpdir(), 'twain-failover-'))
    own(folder)
    const ports = await freePorts(9)
    const [etcdPort, peerPort, proxyPort, ...rest] = ports as [number, number, number, ...number[]]
    const start = (name: string, command: string, args: string[]) =>
      new ClusterProcess({ command, args, folder, logFile: join(folder, `${name}.log`), programs })
    const [client, peer] = [`http://127.0.0.1:${etcdPort}`, `http://127.0.0.1:${peerPort}`]
    const etcdFolder = makeFolder(folder, 'etcd')
    const etcd = start('etcd', programs.etcd, [
      ...['--enable-v2', '--data-dir', etcdFolder, '--listen-client-urls', client, '--advertise-client-urls', client],
      ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`],
    ])
    const places = [0, 1, 2].map((n) => ({
      name: `n${n + 1}`,
      port: rest[n * 2]!,
      apiPort: rest[n * 2 + 1]!,
      folder: makeFolder(folder, `n${n + 1}`),
    }))
    const servers = places.map((place) => {
      const file = join(folder, `${place.name}.yml`)
      const settings = { place, etcdPort, programs, ttl: patroniTtl, isSynchronous }
      writeFileSync(file, JSON.stringify(patroniSettings(settings))) // JSON is YAML
      return { ...place, patroni: start(place.name, programs.python, [programs.patroni, file]) }
    })
    const proxyFile = join(folder, 'haproxy.cfg')
    writeFileSync(proxyFile, haproxySettings(proxyPort, places))
    const haproxy = start('haproxy', programs.haproxy, ['-f', proxyFile, '-db'])
    return new Cluster(folder, servers, { etcd, haproxy }, proxyPort, isSynchronous)
  }

  private constructor(
    folder: string,
    servers: readonly Server[],
    { etcd, haproxy }: Record<'etcd' | 'haproxy', ClusterProcess>,
    proxyPort: number,
    isSynchronous: boolean,
  ) {
    this.#folder = folder
    this.#servers = servers
    this.#etcd = etcd
    this.#haproxy = haproxy
    this.#isSynchronous = isSynchronous
    this.address = `postgres://postgres@127.0.0.1:${proxyPort}/postgres`
  }

  /** Resolves when the address leads to a primary, both others follow it, and one of them may take over. */
  async healthy(): Promise<void> {
    await this.#until('the cluster is healthy', async () => {
      const roles = (await this.#members()).map(({ role }) => role)
      return roles.includes(this.#isSynchronous ? 'sync_standby' : 'replica') && (await haveFollowed(this.address, 2))
    })
  }

  async primary(): Promise<string> {
    const leader = (await this.#members()).find(({ role }) => role === 'leader')
    if (leader === undefined) throw new Error('the cluster has no primary')
    return leader.name
  }

  /** Resolves when another server than this one is the primary. */
  async hasOtherPrimary(than: string): Promise<void> {
    await this.#until('another server takes over', async () => {
      const members = await this.#members()
      return members.some(({ name, role }) => role === 'leader' && name !== than)
    })
  }

  /** Ends a server and its Patroni as a power cut would. */
  kill(name: string): void {
    this.#signalServer(name, 'SIGKILL')
  }

  freeze(name: string): void {
    this.#signalServer(name, 'SIGSTOP')
  }

  thaw(name: string): void {
    this.#signalServer(name, 'SIGCONT')
  }

  /** Starts the Patroni of a killed server; it brings the server back as a standby. */
  revive(name: string): void {
    this.#server(name).patroni.startAgain()
  }

  /** A planned switchover to any standby. */
  async switchOver(): Promise<void> {
    const leader = await this.primary()
    const { apiPort } = this.#server(leader)
    const body = JSON.stringify({ leader })
    const reply = await fetch(`http://127.0.0.1:${apiPort}/switchover`, { method: 'POST', body })
    if (!reply.ok) throw new Error(`Patroni refused the switchover: ${await reply.text()}`)
  }

  async stopEtcd(): Promise<void> {
    await this.#etcd.end('SIGKILL')
  }

  startEtcd(): void {
    this.#etcd.startAgain()
  }

  async restartProxy(): Promise<void> {
    await this.#haproxy.end('SIGKILL')
    this.#haproxy.startAgain()
  }

  /** Resolves when each server says that it is no primary. */
  async hasNoPrimary(): Promise<void> {
    await this.#until('the primary steps down', async () => {
      const answers = this.#servers.map(({ apiPort }) => fetch(`http://127.0.0.1:${apiPort}/primary`))
      return (await Promise.allSettled(answers)).every(
        (answer) => answer.status === 'fulfilled' && answer.value.status === 503,
      )
    })
  }

  /** Standbys receive nothing any more: their connections end, and new ones are refused. A file of the primary says so: a row of it,
   *  such as the role's, could still reach a standby, which would refuse the others when it is promoted. */
  async cutStandbys(): Promise<void> {
    const name = await this.primary()
    const { port, folder } = this.#server(name)
    const rules = rulesFile(folder)
    const text = readFileSync(rules, 'utf8')
    writeFileSync(rules, `${refusal}${text}`)
    const database = connect(`postgres://postgres@127.0.0.1:${port}/postgres`, { size: 1, time: 10 })
    await database.query('SELECT pg_reload_conf()')
    let silent = 0
    await this.#until('no standby is connected', async () => {
      const ended = await database.query('SELECT pg_terminate_backend(pid) FROM pg_stat_replication')
      silent = ended.length === 0 ? silent + 1 : 0
      return silent === 4
    })
    await database.end(1)
  }

  /** Undoes `cutStandbys`. A server that does not run reads the file when it starts. */
  async joinStandbys(name: string): Promise<void> {
    const { port, folder } = this.#server(name)
    const rules = rulesFile(folder)
    writeFileSync(rules, readFileSync(rules, 'utf8').replace(refusal, ''))
    const database = connect(`postgres://postgres@127.0.0.1:${port}/postgres`, { size: 1, time: 10 })
    await database.query('SELECT pg_reload_conf()').catch(() => undefined)
    await database.end(0).catch(() => undefined)
  }

  /** The ends of all logs, for an error report. The whole logs stay beside the folder of the cluster. */
  logs(): string {
    const kept = `${this.#folder}-logs`
    mkdirSync(kept, { recursive: true })
    const ends = ['etcd', 'haproxy', ...this.#servers.map(({ name }) => name)].map((name) => {
      const text = readFileSync(join(this.#folder, `${name}.log`), 'utf8')
      writeFileSync(join(kept, `${name}.log`), text)
      return `${name}:\n${text.slice(-1500)}`
    })
    return [...ends, `The whole logs are in ${kept}`].join('\n')
  }

  async stop(): Promise<void> {
    await this.#haproxy.end('SIGKILL')
    for (const { name } of this.#servers) this.kill(name)
    await Promise.all(this.#servers.map(({ patroni }) => patroni.end('SIGKILL')))
    await this.#etcd.end('SIGKILL')
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 20 })
  }

  #server(name: string): Server {
    return this.#servers.find((server) => server.name === name)!
  }

  /** PostgreSQL is no child of Patroni: it must survive Patroni's end. */
  #signalServer(name: string, signal: NodeJS.Signals): void {
    const { patroni, folder } = this.#server(name)
    patroni.signal(signal)
    const postmaster = postmasterOf(folder)
    if (postmaster === null) return
    for (const pid of processTree(postmaster)) {
      try {
        process.kill(pid, signal)
      } catch {
        // It has ended.
      }
    }
  }

  /** As any Patroni that answers reports them. */
  async #members(): Promise<Member[]> {
    const answers = this.#servers.map(async ({ apiPort }) => {
      const reply = await fetch(`http://127.0.0.1:${apiPort}/cluster`, { signal: AbortSignal.timeout(2000) })
      return ((await reply.json()) as { members: Member[] }).members
    })
    return Promise.any(answers).catch(() => [])
  }

  async #until(what: string, holds: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + patienceSeconds * 1000
    while (!(await holds())) {
      if (performance.now() > end)
        throw new Error(`after ${patienceSeconds} s it is not so that ${what}\n${this.logs()}`)
      await pause(250)
    }
  }
}

const refusal = 'host replication all 127.0.0.1/32 reject\n'

function rulesFile(folder: string): string {
  return join(folder, 'data/pg_hba.conf')
}

/** Null if the server does not run. */
function postmasterOf(folder: string): number | null {
  try {
    return Number(readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n')[0])
  } catch {
    return null
  }
}

function makeFolder(parent: string, name: string): string {
  const folder = join(parent, name)
  mkdirSync(folder)
  own(folder)
  return folder
}

function own(folder: string): void {
  chmodSync(folder, 0o755)
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid)
}

async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) ports.add(await freePort())
  return [...ports]
}
