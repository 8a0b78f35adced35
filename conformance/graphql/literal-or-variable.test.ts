// Every root field, with random arguments: as literals, as variables and as both, a call has the same answer, and never a 500.
// Each form has a service of its own, so that what one call writes is there for the next one of the same form.
// stores: sqlite, postgres
// all samples: sqlite, postgres

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { buildSchema, type GraphQLField, type GraphQLSchema } from 'graphql'
import { bodyText, isStream, plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { printSchema } from '../../packages/twain/src/graphql/index.ts'
import { Mailbox } from '../../packages/twain/src/mail/index.ts'
import { loadModel } from '../../packages/twain/src/model/index.ts'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { Random } from '../fuzz/random.ts'
import { RandomArguments, type SentDocument } from '../generate/random-arguments.ts'
import { samples } from '../generate/samples.ts'
import { propertySeed } from '../generate/seed.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = `
  type Member @account { id: ID! email: String! @unique roles: [Role!]! name: String sheets: [Sheet!]! }
  enum Role { STAFF GUEST }
  interface Item { id: ID! title: String! }
  type Sheet implements Item @softDelete @history {
    id: ID! code: String! @unique title: String! @search state: SheetState! @default(value: OPEN) kind: Kind kinds: [Kind!]
    pages: Int price: Decimal weight: Float count: BigInt day: Date at: DateTime clock: Time ok: Boolean! @default(value: true)
    tags: [String!] grid: [[Int!]!] size: Size sizes: [Size!] meta: JSON colour: Colour picture: File
    owner: Member parts: [Part!]! labels: [Label!]! about: Thing
  }
  enum SheetState { OPEN @next(to: [DONE]) DONE @next(to: [OPEN]) }
  enum Kind { RED BLUE }
  type Size { width: Int! kind: Kind inner: Size }
  type Part { id: ID! sheet: Sheet! @relation(onDelete: CASCADE) number: Int! @unique(with: ["sheet"]) note: String }
  type Label implements Item { id: ID! title: String! sheets: [Sheet!]! @relation(inverse: "labels") }
  union Thing = Label | Part
  scalar Colour @specifiedBy(url: "https://colours.example")
  input Span { from: Date! kinds: [Kind!] = [RED] colour: Colour inner: Span }
  input Pick @oneOf { span: Span kind: Kind number: Int text: String }
  extend type Query { pick(by: Pick, spans: [Span!], n: Int! = 3, kind: Kind, kinds: [Kind!], d: Decimal, c: Colour, j: JSON): JSON @allow }
  extend type Mutation { put(by: Pick!, span: Span, n: BigInt, t: Time, ids: [ID!]): JSON @allow }
  extend type Subscription { ticks(by: Pick, span: Span, kind: Kind): Int @allow }
`

const code = `export default {
  resolvers: {
    Query: { pick: (args) => args },
    Mutation: { put: (args) => args },
    Subscription: { ticks: { async *subscribe() { yield 1 } } },
  },
}`

const ids = ['d1', 'd2', 'l1', 'p1', 'm1', 'none']

const leaves = {
  Int: [0, 1, 2, 3, -7],
  Float: [1, 1.5, -2e9],
  String: ['', 'x', 'ä😀', 'd1', 'a b', 'UTC', 'a@b.example'],
  Boolean: [true, false],
  ID: [...ids, 7],
  JSON: [1, 'x', {}, { name: { eq: 'x' } }, [1, [2]]],
  BigInt: ['9007199254740993', 5],
  Decimal: ['1.10', 2],
  Date: ['2026-01-31'],
  DateTime: ['2026-01-31T10:00:00Z', '2026-01-31T10:00:00+01:00'],
  Time: ['10:00:00'],
  Colour: ['red', 1, { r: 1 }],
  Upload: ['none'],
}

const rows = [
  ['members', 'm1', { email: 'm1@m.example', name: 'Ann', roles: ['STAFF'], password: 'long enough' }],
  ['labels', 'l1', { title: 'new' }],
  ['sheets', 'd1', { code: 'd1', title: 'First', kind: 'RED', size: { width: 1 }, owner: 'm1', price: '1.10' }],
  ['sheets', 'd2', { code: 'd2', title: 'Second', kinds: ['BLUE'], day: '2026-01-31', about: 'Label:l1' }],
  ['parts', 'p1', { sheet: 'd1', number: 1 }],
] as const

type Form = 'literals' | 'variables' | 'both'
const forms: readonly Form[] = ['literals', 'variables', 'both']

let schema: GraphQLSchema
before(() => {
  schema = buildSchema(printSchema(loadModel(sdl, 'schema.graphql')))
})

const draws = samples(testedStore === 'sqlite' ? 2 : 1, 20)

test(`${draws} calls of every root field are answered alike with literals, variables and both`, async (t) => {
  const services = new Map<Form, Sent>()
  for (const form of forms) services.set(form, await openFilled(t))
  const random = new Random(propertySeed)
  const values = new RandomArguments(random, leaves)
  const seen = { refused: 0, failed: 0, answered: 0 }
  const differences: string[] = []
  for (let draw = 0; draw < draws; draw++) {
    for (const [root, field] of rootFields(schema)) {
      const drawn = values.draw(field)
      const documents: Record<Form, SentDocument> = {
        literals: values.asLiterals(root, field, drawn),
        variables: values.asVariables(root, field, drawn),
        both: values.mixed(root, field, drawn),
      }
      const answers = []
      for (const form of forms) answers.push(await services.get(form)!(documents[form]))
      for (const [index, answer] of answers.entries()) {
        const sent = documents[forms[index]!]
        if (answer.status >= 500) differences.push(`${answer.status} ${JSON.stringify(sent)}\n${answer.text}`)
        else if (answer.compared !== answers[0]!.compared)
          differences.push(
            `${JSON.stringify(documents.literals)}\n${answers[0]!.text}\n${JSON.stringify(sent)}\n${answer.text}`,
          )
      }
      seen[answers[0]!.outcome]++
    }
  }
  assert.deepEqual(differences.slice(0, 10), [], `${differences.length} of ${JSON.stringify(seen)}`)
  for (const [what, count] of Object.entries(seen)) assert.ok(count > draws * 5, `${what}: ${count}`)
})

function rootFields(schema: GraphQLSchema): [string, GraphQLField<unknown, unknown>][] {
  const types = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  const names = ['query', 'mutation', 'subscription']
  return types.flatMap((type, index) =>
    Object.values(type!.getFields()).map((field): [string, typeof field] => [names[index]!, field]),
  )
}

interface ComparedAnswer {
  status: number
  text: string
  /** What is the same for all forms. */
  compared: string
  outcome: 'refused' | 'failed' | 'answered'
}

type Sent = (document: SentDocument) => Promise<ComparedAnswer>

async function openFilled(t: Parameters<typeof TestService.open>[0]): Promise<Sent> {
  const service = await TestService.open(t, sdl, { code, mailbox: new Mailbox() })
  const { handle, handleAsSystem } = service.service
  for (const [path, id, row] of rows) {
    const reply = await handleAsSystem(plainRequest('PUT', `/${path}/${id}`, jsonBody(row)))
    assert.equal(reply.status, 201, String(reply.body))
  }
  const authorization = `Bearer ${await service.operator('admin')}`
  return async (document) => {
    const isStreamed = document.query.startsWith('subscription')
    const accept = isStreamed ? 'text/event-stream' : 'application/graphql-response+json'
    const reply = await handle(plainRequest('POST', '/graphql', jsonBody(document, { accept, authorization })))
    if (isStream(reply.body)) {
      await reply.body[Symbol.asyncIterator]().return?.()
      return { status: reply.status, text: 'a stream', compared: 'a stream', outcome: 'answered' }
    }
    return compare(document, reply.status, await bodyText(reply))
  }
}

function jsonBody(value: unknown, headers: Record<string, string> = {}) {
  return { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) }
}

/** A request error has other words for a literal than for a variable: the one is found in the document, the other beside it. */
function compare({ query }: SentDocument, status: number, text: string): ComparedAnswer {
  const { data, errors } = JSON.parse(text) as { data?: unknown; errors?: unknown[] }
  if (data === undefined) return { status, text, compared: `refused ${status}`, outcome: 'refused' }
  const name = /\{ (\w+)/.exec(query)![1]!
  const isOfServer = /^(service|backgroundJob|mails|changes|webhook|token|schema)/.test(name)
  const shown = isOfServer ? { isNull: data === null, errors } : { data, errors }
  const compared = JSON.stringify(shown, (key, value) => (key === 'locations' ? undefined : withoutChance(key, value)))
  return { status, text, compared, outcome: errors === undefined ? 'answered' : 'failed' }
}

/** Ids, times and secrets are made anew by each service. */
function withoutChance(key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (/cursor|token|secret|device|key$/i.test(key)) return 'SECRET'
  return value
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UUID')
    .replace(/20[2-9]\d-\d\d-\d\dT[\d:.]+Z/g, (time) => (time.startsWith('2026-01-31') ? time : 'TIME'))
}
