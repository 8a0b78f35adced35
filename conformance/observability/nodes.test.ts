// The nodes that serve from one database: who serves, and which node a statement, a log entry and a cursor is of. On both APIs.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { LogHistory, SlowStatements } from '../../packages/twain/src/base/index.ts'
import { Metrics } from '../../packages/twain/src/http/index.ts'
import { connect } from '../../packages/twain/src/store/postgres/connect/connect.ts'
import { makePreparedDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { silent } from '../../packages/twain/src/store/store.fixture.ts'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

const sdl = `
  type User @account @allow(to: [READ, CREATE]) { id: ID! email: String! @unique name: String! }
  type Post @allow { id: ID! title: String! }
`
const members = 'node answers startedAt seenAt memoryBytes requests errors'

interface ListedNode {
  node: string
  answers: boolean
  startedAt: string
  seenAt: string
  memoryBytes: number
  requests: number | null
}

class Node {
  readonly history = new LogHistory(() => '')
  readonly log = this.history.keeping(silent)
  service!: TestService
  admin!: { authorization: string }

  static async open(name: string, database?: string): Promise<Node> {
    const node = new Node()
    const metrics = new Metrics()
    node.service = await TestService.open({ after() {} }, sdl, {
      node: name,
      ...(database !== undefined && { database }),
      log: node.log,
      metrics: { of: metrics, to: 'local' },
      monitored: { load: metrics.load, log: node.history },
      slowStatements: new SlowStatements(),
      slowQueryMs: 0.0001,
      listening: { metrics },
    })
    node.admin = { authorization: `Bearer ${await node.service.operator('admin')}` }
    return node
  }

  get(path: string) {
    return this.service.succeed('GET', path, undefined, this.admin)
  }

  async graphql(query: string) {
    return (await this.service.succeed('POST', '/graphql', { query }, this.admin)).data
  }

  nodes(): Promise<ListedNode[]> {
    return this.get('/metrics/nodes')
  }

  names = async (): Promise<string> => (await this.nodes()).map(({ node }) => node).join()
}

describe('the list of nodes', () => {
  let node: Node
  before(async () => {
    node = await Node.open('one')
  })
  after(() => node?.service.close())

  test('R335: a node lists itself with the requests of the last minute, alike in both APIs', async () => {
    await node.get('/posts')
    const [own, ...others] = await node.nodes()
    assert.deepEqual(others, [])
    assert.deepEqual([own!.node, own!.answers], ['one', true])
    assert.ok(own!.requests! >= 1 && own!.memoryBytes > 1_000_000)
    assert.ok(Date.parse(own!.startedAt) <= Date.parse(own!.seenAt))
    const { serviceNodes } = await node.graphql(`{ serviceNodes { ${members} } }`)
    assert.deepEqual(
      serviceNodes.map(({ node: name, answers, startedAt }: ListedNode) => [name, answers, startedAt]),
      [['one', true, own!.startedAt]],
    )
    assert.deepEqual(Object.keys(serviceNodes[0]).toSorted(), Object.keys(own!).toSorted())
  })

  test('R335: nobody but the role admin learns the name of a node, and a parameter is unknown', async () => {
    const { authorization } = await node.service.signUp('ann')
    for (const [headers, status, code] of [
      [{}, 401, 'UNAUTHENTICATED'],
      [{ authorization }, 403, 'FORBIDDEN'],
    ] as const) {
      const reply = await node.service.send('GET', '/metrics/nodes', undefined, headers)
      assert.deepEqual([reply.status, reply.body.code], [status, code])
      const { body } = await node.service.send('POST', '/graphql', { query: '{ serviceNodes { node } }' }, headers)
      assert.deepEqual([body.data, body.errors[0].extensions.code], [null, code])
    }
    assert.equal((await node.service.send('GET', '/metrics/nodes?x=1', undefined, node.admin)).status, 400)
  })

  test('R331, R332: statements and the log name their node', async () => {
    await node.get('/posts')
    const [slow] = await node.get('/metrics/slow-queries')
    assert.equal(slow.node, 'one')
    assert.equal((await node.get('/metrics/log')).node, 'one')
    const { serviceSlowQueries, serviceLog } = await node.graphql('{ serviceSlowQueries { node } serviceLog { node } }')
    assert.deepEqual([serviceSlowQueries[0].node, serviceLog.node], ['one', 'one'])
  })
})

describe('several nodes', { skip: testedStore !== 'postgres' && 'a SQLite file has one node' }, () => {
  const nodes: Node[] = []
  let address: string
  let drop: (() => Promise<void>) | undefined
  before(async () => {
    const database = await makePreparedDatabase()
    address = database.address
    drop = database.drop
    for (const name of ['east', 'west']) nodes.push(await Node.open(name, address))
  })
  after(async () => {
    for (const { service } of nodes) await service.close()
    await drop?.()
  })

  test('R335: each lists all, and says which one answers', async () => {
    for (const [index, one] of nodes.entries()) {
      assert.equal(await until(one.names, (names) => names === 'east,west'), 'east,west')
      assert.deepEqual(
        (await one.nodes()).map(({ answers }) => answers),
        [index === 0, index === 1],
      )
    }
  })

  test('R335: a node that has ended, or has told nothing for half a minute, is not listed', async () => {
    const [east] = nodes as [Node]
    const south = await Node.open('south', address)
    const three = 'east,south,west'
    assert.equal(await until(east.names, (names) => names === three), three)
    await south.service.close()
    assert.equal(await east.names(), 'east,west')
    const raw = connect(address, { size: 1, time: 30 })
    const insert = (name: string, seconds: number) =>
      raw.query(`INSERT INTO twain_node (node, run, started, seen, memory) VALUES ('${name}', '${name}', '2026-01-01T00:00:00.000Z',
        to_char((now() - interval '${seconds} seconds') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 1)`)
    try {
      await insert('killed', 31)
      await insert('slow', 5)
    } finally {
      await raw.end()
    }
    assert.equal(await east.names(), 'east,slow,west')
    const [slow] = (await east.nodes()).filter(({ node }) => node === 'slow')
    assert.deepEqual([slow!.requests, slow!.startedAt], [null, '2026-01-01T00:00:00.000Z'])
  })

  test('R335: nodes with one name are listed apart, and one of them answers', async () => {
    const [, west] = nodes as [Node, Node]
    const twin = await Node.open('west', address)
    try {
      const listed = async () => (await twin.nodes()).filter(({ node }) => node === 'west')
      const found = await until(listed, (some) => some.length === 2)
      assert.deepEqual(found.map(({ answers }) => answers).toSorted(), [false, true])
    } finally {
      await twin.service.close()
    }
    assert.equal((await west.nodes()).filter(({ node }) => node === 'west').length, 1)
  })

  test('R332: with the cursors of all nodes each goes on from its own', async () => {
    const [east, west] = nodes as [Node, Node]
    east.log.warn({}, 'first in the east')
    west.log.warn({}, 'first in the west')
    const cursors = [(await east.get('/metrics/log')).endCursor, (await west.get('/metrics/log')).endCursor].join()
    east.log.warn({}, 'then in the east')
    west.log.warn({}, 'then in the west')
    for (const one of [east, west]) {
      const { entries, missed, node } = await one.get(`/metrics/log?level=warn&after=${cursors}`)
      assert.deepEqual(
        [missed, entries.map(({ message }: { message: string }) => message)],
        [false, [`then in the ${node}`]],
      )
    }
    const many = Array(101).fill(cursors.split(',')[0]).join()
    const reply = await east.service.send('GET', `/metrics/log?after=${many}`, undefined, east.admin)
    assert.deepEqual([reply.status, reply.body.errors[0].path], [400, 'after'])
  })
})
