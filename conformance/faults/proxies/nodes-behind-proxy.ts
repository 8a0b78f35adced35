// Three nodes on one PostgreSQL database, as docs/operations/proxies.md starts them, behind each proxy that is installed, and clients.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeTestDatabase } from '../../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { ServerProcess } from '../../harness/server-process.ts'
import { until } from '../../harness/until.ts'
import { Client } from './proxy-client.ts'
import { type Kind, ProxyProcess } from './proxy-process.ts'

const sdl = 'type Note @allow { id: ID! text: String! picture: File }'
const flags = ['--http-trust-proxy', '127.0.0.1', '--database-pool-size', '4']

/** For the requests that look for a node. */
export const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

/** Where cleanups are registered: mostly a test. */
export interface Later {
  after(end: () => unknown): void
}

export class NodesBehindProxy {
  readonly #t: Later
  readonly nodes: readonly ServerProcess[]
  readonly #proxies: ReadonlyMap<Kind, ProxyProcess>

  static async open(t: Later, kinds: readonly Kind[]): Promise<NodesBehindProxy> {
    const folder = mkdtempSync(join(tmpdir(), 'twain-behind-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const schemaFile = join(folder, 'schema.graphql')
    writeFileSync(schemaFile, sdl)
    const { address, drop } = await makeTestDatabase()
    t.after(drop)
    const nodes = await startAll(t, () =>
      ServerProcess.start(schemaFile, folder, ['--database', address, ...flags], undefined, {}, 100),
    )
    const proxies = new Map<Kind, ProxyProcess>()
    for (const kind of kinds) {
      const proxy = await ProxyProcess.start(
        kind,
        nodes.map((node) => new URL(node.address).host),
      )
      t.after(() => proxy.end())
      proxies.set(kind, proxy)
    }
    return new NodesBehindProxy(t, nodes, proxies)
  }

  private constructor(t: Later, nodes: readonly ServerProcess[], proxies: ReadonlyMap<Kind, ProxyProcess>) {
    this.#t = t
    this.nodes = nodes
    this.#proxies = proxies
  }

  /** Where a proxy listens. */
  ports(kind: Kind): ProxyProcess['ports'] {
    return this.#proxies.get(kind)!.ports
  }

  client(kind: Kind, number: number): Client {
    const client = new Client(this.ports(kind).secure, number)
    this.#t.after(() => client.close())
    return client
  }

  /** The node that answers this client now, by the entry in its log. */
  async nodeOf(client: Client, headers = {}): Promise<{ node: ServerProcess; logEntry: Record<string, unknown> }> {
    const id = `which-${client.address}-${performance.now()}`
    const { status, bytes } = await client.ask('GET', '/notes?limit=1', { ...headers, 'x-request-id': id, traceparent })
    if (status !== 200) throw new Error(`${client.origin} answers ${status}: ${bytes}`)
    const lineOf = (node: ServerProcess) => node.output.split('\n').find((line) => line.includes(id))
    const node = await until(
      async () => this.nodes.find((one) => lineOf(one) !== undefined),
      (found) => found !== undefined,
    )
    if (node === undefined) throw new Error(`No node has ${id} in its log.`)
    return { node, logEntry: JSON.parse(lineOf(node)!) }
  }
}

/** Starts all at once, as the page does; if one fails, the others are stopped. */
async function startAll(t: Later, start: () => Promise<ServerProcess>): Promise<ServerProcess[]> {
  const starts = await Promise.allSettled([start(), start(), start()])
  const nodes = starts.filter((one) => one.status === 'fulfilled').map(({ value }) => value)
  for (const node of nodes) t.after(() => node.kill())
  const failed = starts.find((one) => one.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return nodes
}
