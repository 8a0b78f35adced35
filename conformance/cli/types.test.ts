// `twain types`, tested with the TypeScript compiler: correct code compiles, and each mistake is an error.
// stores: none

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { generateTypes } from '../../packages/twain/src/code/index.ts'
import { loadModel } from '../../packages/twain/src/model/index.ts'

const root = join(import.meta.dirname, '../..')

test('the types of the blog are those of its schema', () => {
  const file = join(root, 'examples/blog/schema.graphql')
  const model = loadModel(readFileSync(file, 'utf8'), file)
  assert.equal(readFileSync(join(root, 'examples/blog/twain.types.ts'), 'utf8'), generateTypes(model, 'schema.graphql'))
})

const sdl = `
  type User @account @allow { id: ID! email: String! @unique posts: [Post!]! }
  type Post @allow { id: ID! title: String! at: DateTime pages: Int price: Decimal author: User! size: Size
    words(unit: Unit! = ALL, by: By): Int! @computed(from: ["title"]) next: Post @computed when: DateTime @computed }
  type Size { width: Int! height: Int }
  enum Unit { ALL SOME }
  input By { from: Int! = 0 to: Int }
  type Query { top(limit: Int! = 3): [Post!]! size(by: By!): Size }
`

const right = `resolvers: {
  Post: {
    words: (rows, { unit, by }) => rows.map(({ title }) => (unit === 'ALL' ? title.length : (by?.from ?? 0))),
    next: async (rows, _args, { read }) => Promise.all(rows.map(async ({ id }) => (await read.Post.get(id)) ?? null)),
    when: (rows) => rows.map(() => new Date()),
  },
  Query: {
    async top({ limit }, { read, write, system }) {
      const [first] = await read.Post.list({ where: { author: { email: { eq: 'a' } } }, orderBy: [{ title: 'ASC' }], limit })
      await read.Post.list({ distinct: ['author', 'pages'] })
      const { sum } = await read.Post.aggregate({ where: { pages: { gt: 1 } }, select: { sum: { price: true }, max: { pages: true } } })
      const total: string | null = sum.price
      const months = await system.read.Post.groupBy({
        by: [{ at: 'MONTH' }, { author: { email: 'VALUE' } }],
        timeZone: 'Europe/Oslo',
        having: { count: { gte: 2 }, sum: { pages: { lt: '9' } } },
        orderBy: [{ sum: { price: 'DESC' } }, { key: { at: 'ASC' } }],
      })
      const texts: (string | null)[] = months.flatMap(({ key, count }) => [key.at, key.author.email, count.toFixed(), total])
      if (first && texts.length > 0) await write.Post.update(first.id, { title: first.title.trim(), at: null })
      await system.write.Post.create({ title: 'x', author: 'u1' })
      return first ? [first, 'p2'] : []
    },
    size: ({ by }) => ({ width: by.from }),
  },
  },
  before: {
    Post({ kind, next }) {
      if (kind === 'create' && next?.title.startsWith('x')) throw new Error('no')
    },
  },
  after: { Post: async ({ row }, { write }) => row && write.User.update(row.author, { email: row.title }) },
  on: { User: ({ row, cursor }, { log }) => log.info({ email: row?.email, cursor }, 'changed') },
  jobs: {
    thumbnail: {
      timeLimit: '30s',
      async run({ file }, { enqueue, read, job }) {
        await enqueue('remind')
        await enqueue('thumbnail', { file: file.trim() }, { at: new Date(), key: job.id })
        return read.Post.get(file)
      },
    },
    remind: { every: '1h', run: (_nothing, { system }) => system.read.User.count() },
  },`

/** Mistakes: each replaces a part of the correct code, and must be a compile error. */
const wrong: Record<string, [from: string, to: string]> = {
  'a resolver is missing': ['when: (rows) => rows.map(() => new Date()),', ''],
  'a resolver of nothing': ['  Query: {', '  Query: { other: () => 1,'],
  'a field that is not in from': ['({ title }) =>', '({ at }) =>'],
  'an answer of another type': ['title.length', 'title'],
  'an argument that is not there': ['{ unit, by }', '{ unit, bye }'],
  'an enum value that is not there': ["unit === 'ALL'", "unit === 'NONE'"],
  'an optional argument that is taken for granted': ['(by?.from ?? 0)', 'by.from'],
  'a filter by an unknown field': ['email: { eq', 'mail: { eq'],
  'an order in no direction': ["title: 'ASC'", "title: 'UP'"],
  'a create without what it needs': [", author: 'u1' }", ' }'],
  'a change to a value of another type': ['at: null', 'at: 7'],
  'a change to null of what is required': ['title: first.title.trim()', 'title: null'],
  'a hook of an unknown resource': ['after: { Post', 'after: { Pots'],
  'a hook that takes a row for granted': ['row && write', 'write'],
  'a kind that is not there': ["kind === 'create'", "kind === 'created'"],
  'a payload of another type': ['{ file: file.trim() }', '{ file: 7 }'],
  'a payload that is missing': [
    "enqueue('thumbnail', { file: file.trim() }, { at: new Date(), key: job.id })",
    "enqueue('thumbnail')",
  ],
  'a job that is not there': ["enqueue('remind')", "enqueue('remined')"],
  'a job without code': ["remind: { every: '1h', run: (_nothing, { system }) => system.read.User.count() },", ''],
  'an option of a job that is not there': ["timeLimit: '30s'", "timeout: '30s'"],
  'an aggregate that is not selected': ['= sum.price', '= sum.pages'],
  'a sum of what is no number': ['sum: { price: true }', 'sum: { title: true }'],
  'a part of a text': ["email: 'VALUE' } }]", "email: 'MONTH' } }]"],
  'a key that the groups do not have': ['[key.at, key.author.email', '[key.title, key.author.email'],
  'a key of the referred row that the groups do not have': ['key.author.email', 'key.author.id'],
  'a condition of another type': ['count: { gte: 2 }', "count: { gte: '2' }"],
  'an order by what is no measure': ['{ sum: { price', '{ sums: { price'],
  'a distinct value of no field': ["distinct: ['author', 'pages']", "distinct: ['author', 'size']"],
  'an unknown resource': ['read.Post.get', 'read.Pots.get'],
}

/** Every schema of the suite, and one with all kinds of fields. */
const schemas: Record<string, string> = {
  ...Object.fromEntries(
    ['bench', 'conformance/graphql', 'conformance/http', 'conformance/schemas', 'examples/chat', 'examples/hello']
      .flatMap((folder) => globSync(`${folder}/*.graphql`, { cwd: root }))
      .map((file) => [file.replace(/\W/g, '_'), readFileSync(join(root, file), 'utf8')]),
  ),
  every_kind: `
    scalar Opus
    type Album @allow { id: ID! cover: File scans: [File!]! opus: Opus extra: JSON price: Decimal n: BigInt on: Date at: DateTime
      tracks: [Track!]! tags: [Tag!]! best: Item sides: [Side!]! side: Side! kinds: [Kind!]! kind: Kind big: Float! yes: Boolean }
    type Track @allow { id: ID! album: Album! next: Track }
    type Tag @allow { id: ID! albums: [Album!]! on: [Item!]! }
    union Item = Album | Track
    type Side { name: String! inner: Side labels: [String!] }
    enum Kind { LP EP }
    extend type Mutation { press(cover: Upload!, kinds: [Kind!], side: Pressing): Album! }
    input Pressing { name: String! more: [Pressing!] }`,
}

test('correct code compiles, and wrong code does not', { timeout: 120_000 }, async (t) => {
  mkdirSync(join(root, 'node_modules/.cache'), { recursive: true })
  const folder = mkdtempSync(join(root, 'node_modules/.cache/twain-types-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'twain.types.ts'), generateTypes(loadModel(sdl, 'schema.graphql'), 'schema.graphql'))
  const write = (name: string, members: string) => writeFileSync(join(folder, name), codeOf(members))
  write('right.ts', right)
  Object.values(wrong).forEach(([from, to], index) => {
    assert.ok(right.includes(from), from)
    write(`wrong${index}.ts`, right.replace(from, to))
  })
  for (const [name, text] of Object.entries(schemas)) {
    writeFileSync(join(folder, `types_${name}.ts`), generateTypes(loadModel(text, name), name))
  }
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as {
    compilerOptions: object
  }
  const options = {
    ...compilerOptions,
    noUnusedLocals: false,
    noUnusedParameters: false,
    typeRoots: [join(root, 'node_modules/@types')],
  }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, include: ['*.ts'], exclude: [] }),
  )
  const { stdout } = await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', folder]).catch(
    (error) => error,
  )
  const failing = new Set([...String(stdout).matchAll(/(\w+)\.ts\(/g)].map(([, name]) => name))
  assert.deepEqual(
    [...failing].toSorted(),
    Object.keys(wrong)
      .map((_, index) => `wrong${index}`)
      .toSorted(),
    stdout,
  )
})

function codeOf(members: string): string {
  return `import { defineService } from 'twain'
import type { Service } from './twain.types.ts'
export default defineService<Service<{ thumbnail: { file: string }; remind: undefined }>>({ limits: { depth: 6 }, ${members} })
`
}
