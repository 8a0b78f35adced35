// Three PostgreSQL servers under Patroni, one etcd, and HAProxy, which leads to the primary. All on 127.0.0.1, in a folder of its own.

import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { connect } from '../../packages/twain/src/store/postgres/connect/connect.ts'
import { freePort } from '../../scripts/free-port.ts'
import { account, ClusterProcess, processTree } from './cluster-process.ts'
import { haproxySettings, patroniSettings, type ServerPlace } from './cluster-settings.ts'
import type { Programs } from './packages.ts'

/** Seconds. 20 is the least that Patroni accepts. */
export const patroniTtl = 20

interface Server extends ServerPlace {
  patroni: ClusterProcess
}

/** A member as Patroni reports it. */
interface Member {
  name: string
  role: string
  state: string
}

export class Cluster {
  /** The address of the database that Twain uses. */
  readonly address: string
  readonly #folder: string
  readonly #servers: readonly Server[]
  readonly #etcd: ClusterProcess
  readonly #haproxy: ClusterProcess
  readonly #isSynchronous: boolean

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
      ...['--data-dir', etcdFolder, '--listen-client-urls', client, '--advertise-client-urls', client],
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
    const cluster = new Cluster(folder, servers, { etcd, haproxy }, proxyPort, isSynchronous)
    try {
      await cluster.healthy()
      return cluster
    } catch (error) {
      await cluster.stop()
      throw error
    }
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

  /** Resolves when there is a primary, both others stream from it, one of them may take over, and the address leads to the
   *  primary. */
  async healthy(seconds = 180): Promise<void> {
    await this.#until('the cluster is healthy', seconds, async () => {
      const members = await this.#members()
      const isFollowing = ({ role, state }: Member) => role !== 'leader' && /^(running|streaming)$/.test(state)
      const roles = new Set(members.map(({ role }) => role))
      const isReady = roles.has('leader') && (!this.#isSynchronous || roles.has('sync_standby'))
      return isReady && members.filter(isFollowing).length === 2
    })
    await this.#until('the proxy leads to the primary', seconds, () => this.#isWritable())
  }

  async primary(): Promise<string> {
    const leader = (await this.#members()).find(({ role }) => role === 'leader')
    if (leader === undefined) throw new Error('the cluster has no primary')
    return leader.name
  }

  /** Resolves when another server than this one is the primary. */
  async hasOtherPrimary(than: string): Promise<void> {
    await this.#until('another server takes over', 120, async () => {
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

  /** Resolves when no server takes writes. */
  async hasNoPrimary(): Promise<void> {
    await this.#until('the primary steps down', 120, async () => !(await this.#isWritable()))
  }

  /** Standbys receive nothing any more: their connections end, and new ones are refused. */
  async cutStandbys(): Promise<void> {
    const { port } = this.#server(await this.primary())
    const database = connect(`postgres://postgres@127.0.0.1:${port}/postgres`, { size: 1, time: 10 })
    // The role is a row of the primary: the standbys never learn of it.
    await database.query('ALTER ROLE replicator NOLOGIN')
    await database.query('SELECT pg_terminate_backend(pid) FROM pg_stat_replication')
    await database.end(1)
  }

  /** Undoes `cutStandbys` on the primary, if it is still the same. */
  async joinStandbys(): Promise<void> {
    const database = connect(this.address, { size: 1, time: 10 })
    await database.query('ALTER ROLE replicator LOGIN')
    await database.end(1)
  }

  /** The ends of all logs, for an error report. */
  logs(): string {
    const names = ['etcd', 'haproxy', ...this.#servers.map(({ name }) => name)]
    return names
      .map((name) => `${name}:\n${readFileSync(join(this.#folder, `${name}.log`), 'utf8').slice(-1500)}`)
      .join('\n')
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

  async #isWritable(): Promise<boolean> {
    const database = connect(this.address, { size: 1, time: 2 })
    try {
      const asked = database.query('SELECT pg_is_in_recovery() AS is')
      const [row] = (await Promise.race([asked, pause(2000, [])])) as { is: boolean }[]
      return row?.is === false
    } catch {
      return false
    } finally {
      await database.end(0).catch(() => undefined)
    }
  }

  async #until(what: string, seconds: number, holds: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + seconds * 1000
    while (!(await holds())) {
      if (performance.now() > end) throw new Error(`after ${seconds} s it is not so that ${what}\n${this.logs()}`)
      await pause(250)
    }
  }
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
