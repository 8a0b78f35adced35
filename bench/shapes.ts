// `npm run bench -- shapes`: nothing grows with the number of different requests. 100,000 requests (`SHAPES=20000` for fewer) that all
// have another shape, half over REST and half over GraphQL, to a server with a heap of 256 MB, each sent once. Prints the
// resident memory after each quarter.

import { join } from 'node:path'
import { type comments, posts, users } from './by-hand/rows.ts'
import { openTwainTarget, type Target } from './by-hand/targets.ts'
import type { RawRequest } from './cases.ts'
import { importRows } from './import-rows.ts'
import type { LoadOrder } from './load.ts'
import { MeasuredProcess } from './measured-process.ts'
import { usageOfTree } from './process-times.ts'
import { buildCommand } from './start.ts'
import { printTable, type ReportRow } from './table.ts'

const quarters = 4
const maxMemory = 250
/** The last half of the requests may add so much: caches are full by then. */
const maxGrowth = 1.1

export async function measureShapes(folder: string): Promise<string> {
  const count = Number(process.env.SHAPES ?? 100_000)
  const command = await buildCommand()
  const schema = join(import.meta.dirname, 'by-hand/schema.graphql')
  const few = { User: users.slice(0, 50), Post: postsOf(50), Comment: [] as typeof comments }
  await importRows(join(folder, 'twain'), schema, null, few, command)
  const target = await openTwainTarget(folder, null, command, [])
  const load = new MeasuredProcess(join(import.meta.dirname, 'load.ts'), [])
  try {
    const memory = [usageOfTree(target.process.pid).memory / 1e6]
    const each = count / quarters
    for (let quarter = 0; quarter < quarters; quarter++) {
      const requests = Array.from({ length: each }, (_, index) => shape(quarter * each + index))
      await sendOnce(requests, target, load)
      memory.push(usageOfTree(target.process.pid).memory / 1e6)
    }
    return printTable([row(count, memory)])
  } finally {
    await load.stop()
    await target.process.stop()
  }
}

function postsOf(userCount: number): typeof posts {
  const known = new Set(users.slice(0, userCount).map(({ id }) => id))
  return posts.filter(({ author }) => known.has(author)).slice(0, 200)
}

async function sendOnce(requests: RawRequest[], { port }: Target, load: MeasuredProcess): Promise<void> {
  const connections = 16
  const answers = requests.length - connections
  const order: LoadOrder = { port, requests, authorization: null, connections, milliseconds: 600_000, answers }
  await load.carryOut(order)
}

function shape(index: number): RawRequest {
  return index % 2 === 0 ? restShape(index >> 1) : graphqlShape(index >> 1)
}

const fields = ['id', 'title', 'body', 'status', 'publishedAt', 'author.name', 'author.email', 'comments.body']

/** The number chooses the fields, their order, the sort keys and the operators. */
function restShape(number: number): RawRequest {
  const order = permutation(fields, number).slice(0, 4 + (number % 4))
  const sort = permutation(['id', 'title', 'status', '-publishedAt'], Math.floor(number / 7)).slice(0, 2)
  const operator = ['lt', 'lte', 'gt', 'gte', 'ne'][number % 5]!
  const path = `/posts?fields=${order}&sort=${sort}&publishedAt[${operator}]=2025-01-01T00:00:00.000Z&limit=3`
  return { method: 'GET', path, body: null }
}

function graphqlShape(number: number): RawRequest {
  const order = permutation(['id', 'title', 'body', 'status', 'publishedAt'], number)
  const selection = order.map((name, index) => `a${number}x${index}: ${name}`).join(' ')
  const query = `query Q${number} { posts(limit: 3, where: {title: {ne: "${number}"}}) { ${selection} author { b${number}: name } } }`
  return { method: 'POST', path: '/graphql', body: JSON.stringify({ query }) }
}

/** The number of the permutation in the order of the factorial number system. */
function permutation<Item>(items: readonly Item[], number: number): Item[] {
  const left = [...items]
  let rest = number
  return items.map(() => {
    const at = rest % left.length
    rest = Math.floor(rest / left.length)
    return left.splice(at, 1)[0]!
  })
}

function row(count: number, memory: number[]): ReportRow {
  const growth = memory.at(-1)! / memory[quarters / 2]!
  return {
    what: `Resident memory during ${count} different requests`,
    twain: memory
      .map((megabytes) => megabytes.toFixed(0))
      .join(', ')
      .concat(' MB'),
    comparedWith: '',
    figure: `${growth.toFixed(2)} × from the middle to the end`,
    target: `≤ ${maxMemory} MB, ≤ ${maxGrowth} ×`,
    met: memory.at(-1)! <= maxMemory && growth <= maxGrowth,
  }
}
