// Nodes of `twain start` on one PostgreSQL database, behind a proxy as docs/operations/proxies.md configures it. Each has a schema file of
// its own, so that they can be rolled from one version to another.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeTestDatabase } from '../../../packages/twain/src/store/postgres/test-database.fixture.ts'
import type { Later } from '../../faults/proxies/nodes-behind-proxy.ts'
import { Client } from '../../faults/proxies/proxy-client.ts'
import { type Kind, ProxyProcess } from '../../faults/proxies/proxy-process.ts'
import { ServerProcess } from '../../harness/server-process.ts'
import { schemas } from './schemas.ts'

const flags = ['--http-trust-proxy', '127.0.0.1', '--database-pool-size', '4', '--log-requests', 'false']

interface RollingNode {
  process: ServerProcess
  schemaFile: string
}

export class RollingNodes {
  readonly #later: Later
  readonly #nodes: readonly RollingNode[]
  readonly #proxy: ProxyProcess
  #clients = 0

  private constructor(later: Later, nodes: readonly RollingNode[], proxy: ProxyProcess) {
    this.#later = later
    this.#nodes = nodes
    this.#proxy = proxy
  }

  /** Three nodes of the first version: the page configures three. */
  static async open(later: Later, kind: Kind): Promise<RollingNodes> {
    const folder = mkdtempSync(join(tmpdir(), 'twain-rolling-'))
    later.after(() => rmSync(folder, { recursive: true }))
    const { address, drop } = await makeTestDatabase()
    later.after(drop)
    const nodes: RollingNode[] = []
    for (const name of ['one', 'two', 'three']) {
      const data = join(folder, name)
      mkdirSync(data)
      const schemaFile = join(data, 'schema.graphql')
      writeFileSync(schemaFile, schemas[0])
      const process = await ServerProcess.start(schemaFile, data, ['--database', address, ...flags], undefined, {}, 100)
      later.after(() => process.kill())
      nodes.push({ process, schemaFile })
    }
    const hosts = nodes.map((node) => new URL(node.process.address).host)
    const proxy = await ProxyProcess.start(kind, hosts)
    later.after(() => proxy.end())
    return new RollingNodes(later, nodes, proxy)
  }

  /** A client with an address of its own, which a proxy keeps with one node while that node runs. */
  client(): Client {
    const client = new Client(this.#proxy.ports.secure, 30 + this.#clients++)
    this.#later.after(() => client.close())
    return client
  }

  /** Drains one node after another with SIGTERM, and starts it with the other version. `between` runs after each. */
  async roll(version: number, between: () => Promise<void>): Promise<void> {
    for (const { process, schemaFile } of this.#nodes) {
      await process.stop()
      writeFileSync(schemaFile, schemas[version]!)
      await process.startAgain(100)
      await between()
    }
  }

  /** Lines of the nodes' logs that report an error. */
  errors(): string[] {
    return this.#nodes.flatMap(({ process }) =>
      process.output.split('\n').filter((line) => /"level":"error"|"ERROR"/i.test(line)),
    )
  }
}
