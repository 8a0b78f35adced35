// Random documents, and their cost counted the naive way: every fragment is expanded, every field is visited, and the sum follows the
// documentation alone (docs/reference/graphql.md, "Limits"). It uses no code of the server.

import { parse } from 'graphql'
import { measureDocument } from '../../packages/twain/src/graphql/document/document-cost.ts'
import { buildApiSchema } from '../../packages/twain/src/graphql/schema/build-schema.ts'
import { loadModel } from '../../packages/twain/src/model/index.ts'

const sdl = `
  interface Named { id: ID! name: String }
  type User implements Named { id: ID! name: String! address: Address posts: [Post!]! }
  type Tag implements Named { id: ID! name: String posts: [Post!]! }
  type Post { id: ID! title: String! labels: [String!] author: User! comments: [Comment!]! tags: [Tag!]! }
  type Comment { id: ID! body: String! post: Post! about: Named }
  type Address { city: String former: [Address!] }
`

/** The result of a field: a leaf, an object, or a list of either; `plumbing` is a field of a connection. */
interface FieldResult {
  to: string | null
  /** What it multiplies by. */
  list?: number
  /** The page size of a connection, which is that of its edges. */
  first?: number
  plumbing?: true
}

const leaf: FieldResult = { to: null }
const list = (to: string | null, factor = 10): FieldResult => ({ to, list: factor })
const connection = (name: string): Record<string, Record<string, FieldResult>> => ({
  [`${name}Connection`]: {
    edges: { to: `${name}Edge`, list: 10, plumbing: true },
    pageInfo: { to: 'PageInfo', plumbing: true },
    totalCount: leaf,
  },
  [`${name}Edge`]: { node: { to: name, plumbing: true }, cursor: leaf },
})

/** The schema for the naive counter, written by hand. */
const fields: Record<string, Record<string, FieldResult>> = {
  Query: {
    users: list('User'),
    posts: list('Post'),
    'posts(limit: 3)': list('Post', 3),
    'posts(limit: 0)': list('Post', 1),
    'nameds(limit: 50)': list('Named'),
    nameds: list('Named'),
    'post(id: 1)': { to: 'Post' },
    postsConnection: { to: 'PostConnection' },
    'postsConnection(first: 2)': { to: 'PostConnection', first: 2 },
  },
  User: {
    id: leaf,
    name: leaf,
    _version: leaf,
    address: { to: 'Address' },
    posts: list('Post'),
    postsConnection: { to: 'PostConnection' },
  },
  Tag: { id: leaf, name: leaf, 'posts(limit: $n)': list('Post', 4) },
  Post: {
    id: leaf,
    title: leaf,
    labels: list(null),
    author: { to: 'User' },
    comments: list('Comment'),
    'commentsConnection(first: $n)': { to: 'CommentConnection', first: 4 },
    tags: list('Tag'),
  },
  Comment: { id: leaf, body: leaf, post: { to: 'Post' }, about: { to: 'Named' } },
  Address: { city: leaf, former: list('Address') },
  Named: { id: leaf, name: leaf },
  PageInfo: { hasNextPage: leaf, endCursor: leaf },
  ...connection('Post'),
  ...connection('Comment'),
}

const narrower: Record<string, string[]> = { Named: ['User', 'Tag', 'Named'], User: ['Named', 'User'], Tag: ['Tag'] }

type Selection =
  | { kind: 'field'; name: string; fieldResult: FieldResult; set: Selection[] | null }
  | { kind: 'inline'; on: string; set: Selection[] }
  | { kind: 'spread'; fragment: number }

interface Fragment {
  on: string
  set: Selection[]
}

interface Figures {
  depth: number
  cost: number
}

/** Returns the number of compared documents; throws at the first that differs. */
export function compareCosts(count: number, seed: number): { compared: number; overLimit: number } {
  const { schema, weights } = buildApiSchema(loadModel(sdl, 'costs.graphql'))
  const random = randomNumbers(seed)
  let overLimit = 0
  for (let compared = 0; compared < count; compared++) {
    const { text, naive } = drawDocument(random)
    const operations = [...measureDocument(parse(text), schema, weights, { n: 4 }).operations.values()]
    for (const [index, { depth, cost }] of operations.entries()) {
      const expected = naive[index]!
      if (depth === expected.depth && cost === expected.cost) continue
      throw new Error(`${JSON.stringify({ depth, cost })}, and not ${JSON.stringify(expected)}, for\n${text}`)
    }
    if (naive.some(({ depth, cost }) => depth > 5 || cost > 1000)) overLimit++
  }
  return { compared: count, overLimit }
}

type Random = (below: number) => number

/** Mulberry32: the same documents for the same seed. */
function randomNumbers(seed: number): Random {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

function drawDocument(random: Random): { text: string; naive: Figures[] } {
  const types = ['Post', 'User', 'Named', 'Comment', 'Query', 'PostConnection']
  const fragments: Fragment[] = []
  // The last first: a fragment spreads only later ones, so that the expansion ends.
  for (let index = types.length - 1; index >= 0; index--) {
    fragments[index] = { on: types[index]!, set: drawSet(types[index]!, 2, index + 1) }
  }
  const operations = Array.from({ length: 1 + random(2) }, () => drawSet('Query', 3, 0))
  const head = operations.map((set, index) => `query q${index}($n: Int! = 1, $yes: Boolean! = true) ${write(set)}`)
  const tail = fragments.map(({ on, set }, index) => `fragment f${index} on ${on} ${write(set)}`)
  return { text: [...head, ...tail].join('\n'), naive: operations.map((set) => count(set, fragments)) }

  function drawSet(type: string, depth: number, from: number): Selection[] {
    return Array.from({ length: 1 + random(4) }, () => drawSelection(type, depth, from))
  }

  function drawSelection(type: string, depth: number, from: number): Selection {
    const names = Object.keys(fields[type]!)
    const choice = random(10)
    if (choice === 0 && depth > 0) {
      const on = narrower[type]?.[random(narrower[type]!.length)] ?? type
      return { kind: 'inline', on, set: drawSet(on, depth - 1, from) }
    }
    const spreads = types.flatMap((on, index) => (on === type && index >= from ? [index] : []))
    if (choice <= 3 && spreads.length > 0) return { kind: 'spread', fragment: spreads[random(spreads.length)]! }
    if (choice === 4) return { kind: 'field', name: '__typename', fieldResult: leaf, set: null }
    const usable = depth > 0 ? names : names.filter((name) => fields[type]![name]!.to === null)
    const name = usable[random(Math.max(1, usable.length))] ?? '__typename'
    const fieldResult = fields[type]![name] ?? leaf
    return {
      kind: 'field',
      name,
      fieldResult,
      set: fieldResult.to === null ? null : drawSet(fieldResult.to, depth - 1, from),
    }
  }

  function write(set: readonly Selection[]): string {
    const parts = set.map(writeOne)
    return `{ ${parts.join(' ')} }`
  }

  function writeOne(one: Selection, index: number): string {
    const directive = ['', '', '', ' @include(if: $yes)', ' @skip(if: true)'][random(5)]!
    if (one.kind === 'spread') return `...f${one.fragment}${directive}`
    if (one.kind === 'inline') return `... on ${one.on}${directive} ${write(one.set)}`
    const alias = random(3) === 0 ? `k${index}: ` : ''
    return `${alias}${one.name}${directive}${one.set === null ? '' : ` ${write(one.set)}`}`
  }
}

/** Visits every field of the full expansion. */
function count(set: readonly Selection[], fragments: readonly Fragment[], first = 10): Figures {
  let depth = 0
  let cost = 0
  for (const one of set) {
    const own =
      one.kind === 'field'
        ? countField(one, fragments, first)
        : count(one.kind === 'inline' ? one.set : fragments[one.fragment]!.set, fragments, first)
    depth = Math.max(depth, own.depth)
    cost += own.cost
  }
  return { depth, cost }
}

function countField(
  { fieldResult, set }: Selection & { kind: 'field' },
  fragments: readonly Fragment[],
  first: number,
): Figures {
  const below = set === null ? { depth: 0, cost: 0 } : count(set, fragments, fieldResult.first)
  const factor = fieldResult.plumbing && fieldResult.list ? first : (fieldResult.list ?? 1)
  const own = fieldResult.to === null ? 1 : 2
  const depth = set === null || fieldResult.plumbing ? below.depth : below.depth + 1
  return { depth, cost: (own + below.cost) * factor }
}
