// `/docs/model`: what a viewer can read, filter, sort and write, as programs such as the console need it.
// stores: sqlite (the store is not involved)

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Mailbox } from '../../packages/twain/src/mail/index.ts'
import { type Person, TestService } from '../harness/test-service.ts'

const sdl = `
  type User @account @allow(to: [READ, CREATE]) @allow(who: "self", to: [UPDATE]) {
    id: ID! email: String! @unique @allow(who: "self", to: [READ]) name: String! @label role: [String!] @default(value: [])
  }
  type Post @allow(to: [READ]) @allow(who: "author") {
    id: ID! title: String! @search @constraint(maxLength: 40) state: State! @default(value: DRAFT) author: User! @auto(set: VIEWER)
    size: Size secret: String @allow(role: "editor") comments: [Comment!]!
  }
  type Comment implements Text @allow(to: [READ]) { id: ID! body: String! on: Post! }
  interface Text { id: ID! body: String! }
  type Page implements Text @allow(to: [READ]) { id: ID! body: String! words: String @search }
  type Note @allow(role: "editor") { id: ID! text: String! }
  type Size { width: Int! unit: Unit }
  enum Unit { MM CM }
  enum State { DRAFT @next(to: [SENT]) SENT }
  extend type Query { wordCount(post: ID!, than: Range): Int! @allow  secretCount: Int! @allow(role: "editor") }
  extend type Mutation {
    "Sends it."
    send(id: ID!, times: Int! = 1 @constraint(min: 1), note: ID): Post! @resource(path: "sendings") @allow(who: "signedIn")
  }
  extend type Subscription { arrivals: Post! @allow }
  input Range @oneOf { min: Int max: Int }
`

const code = `export default {
  resolvers: {
    Query: { wordCount: () => 1, secretCount: () => 1 },
    Mutation: { send: ({ id }) => id },
    Subscription: { arrivals: { async *subscribe() {} } },
  },
}`

interface ModelField {
  name: string
  [member: string]: unknown
}
interface ModelDocument {
  viewer: object
  signIn: object | null
  mails: string
  operations: { name: string; arguments: ModelField[]; [member: string]: unknown }[]
  types: { name: string; path: string; label: string | null; fields: ModelField[]; [member: string]: unknown }[]
  values: { name: string }[]
  enums: { name: string; values: { name: string }[] }[]
}

describe('R95: the model as a viewer can use it', () => {
  let service: TestService
  let ann: Person
  const endings: (() => void | Promise<void>)[] = []

  before(async () => {
    service = await TestService.open({ after: (end) => void endings.push(end as () => Promise<void>) }, sdl, { code })
    ann = await service.signUp('ann')
  })
  after(async () => {
    for (const end of endings) await end()
  })

  const read = (headers: Record<string, string> = {}): Promise<ModelDocument> =>
    service.succeed('GET', '/docs/model', undefined, headers)
  const typeNamed = ({ types }: ModelDocument, name: string) => types.find((type) => type.name === name)!
  const fieldNamed = (model: ModelDocument, type: string, name: string) =>
    typeNamed(model, type).fields.find((field) => field.name === name)

  test('it has the types and fields that the viewer can read, and no others', async () => {
    const nobody = await read()
    const names = nobody.types.map(({ name }) => name)
    assert.deepEqual(names, ['User', 'Post', 'Comment', 'Page', 'Text'])
    assert.equal(JSON.stringify(nobody).includes('Note'), false)
    assert.equal(fieldNamed(nobody, 'User', 'email'), undefined)
    assert.equal(fieldNamed(nobody, 'Post', 'secret'), undefined)

    const account = await read({ authorization: ann.authorization })
    assert.equal(fieldNamed(account, 'User', 'email')?.read, 'some')
    assert.deepEqual(account.viewer, { account: ann.id, roles: [] })
    assert.deepEqual(account.signIn, { type: 'User', login: 'email', roles: 'role', invites: false })

    const { token } = await service.service.makeConsoleToken()
    const admin = await read({ authorization: `Bearer ${token}` })
    const system = admin.types.filter(({ kind }) => kind === 'system').map(({ name }) => name)
    for (const name of ['BackgroundJob', 'ApiKey', 'Webhook', 'Token']) assert.ok(system.includes(name), name)
  })

  test('it says whether the service keeps its mails, as `twain dev` does', async (t) => {
    const keeping = await TestService.open(t, sdl, { code, mailbox: new Mailbox() })
    assert.equal((await keeping.succeed('GET', '/docs/model')).mails, 'kept')
    assert.deepEqual(await keeping.succeed('GET', '/mails'), [])
    assert.equal((await read()).mails, 'sent')
    assert.equal((await service.send('GET', '/mails')).status, 404)
  })

  test('labels, operators and sorting follow the schema', async () => {
    const model = await read()
    assert.equal(fieldNamed(model, 'Comment', 'on')?.onDelete, 'RESTRICT')
    assert.deepEqual(
      model.types.map(({ label, search }) => [label, search]),
      [
        ['name', false],
        ['title', true],
        ['body', false],
        ['body', true],
        ['body', true],
      ],
    )
    const title = fieldNamed(model, 'Post', 'title')!
    assert.ok((title.operators as string[]).includes('icontains'))
    assert.deepEqual([title.sort, title.type, title.constraint], [true, 'String', { maxLength: 40 }])
    assert.deepEqual(fieldNamed(model, 'Post', 'state')?.transitions, { DRAFT: ['SENT'] })
    const author = fieldNamed(model, 'Post', 'author')!
    assert.deepEqual([author.kind, author.type, author.sort], ['reference', 'User', false])
    assert.deepEqual(fieldNamed(model, 'Post', 'comments')?.type, '[Comment!]')
    assert.equal(fieldNamed(model, 'Post', 'comments')?.inverse, 'on')
    assert.deepEqual(
      [model.values.map(({ name }) => name), model.enums.map(({ name }) => name)],
      [
        ['Size', 'Range'],
        ['State', 'Unit'],
      ],
    )
  })

  test('rights to write depend on the viewer', async () => {
    const nobody = await read()
    assert.deepEqual([typeNamed(nobody, 'Post').create, typeNamed(nobody, 'Post').update], ['none', 'none'])
    assert.equal(fieldNamed(nobody, 'Post', 'title')?.create, 'none')
    const account = await read({ authorization: ann.authorization })
    assert.deepEqual([typeNamed(account, 'Post').create, typeNamed(account, 'Post').update], ['some', 'some'])
    assert.equal(fieldNamed(account, 'Post', 'title')?.create, 'required')
    assert.equal(fieldNamed(account, 'Post', 'author')?.create, 'none')
  })

  test('it has the custom queries and mutations that the viewer may call, with their arguments', async () => {
    const nobody = await read()
    assert.deepEqual(
      nobody.operations.map(({ name, kind, path, type }) => [name, kind, path, type]),
      [['wordCount', 'query', 'word-count', 'Int']],
    )
    assert.equal(JSON.stringify(nobody).includes('secretCount'), false)
    assert.deepEqual(
      nobody.operations[0]!.arguments.map(({ name, type, required, row }) => [name, type, required, row]),
      [
        ['post', 'ID', true, 'Post'],
        ['than', 'Range', false, undefined],
      ],
    )
    assert.deepEqual(nobody.values[1], {
      name: 'Range',
      description: null,
      oneOf: true,
      fields: ['min', 'max'].map((name) => ({ name, description: null, type: 'Int', required: false })),
    })
    const account = await read({ authorization: ann.authorization })
    assert.deepEqual(account.operations[1], {
      name: 'send',
      kind: 'mutation',
      path: 'sendings',
      description: 'Sends it.',
      arguments: [
        { name: 'id', description: null, type: 'ID', required: true, row: 'Post' },
        { name: 'times', description: null, type: 'Int', required: true, constraint: { min: 1 }, default: 1 },
        // Notes are hidden from them.
        { name: 'note', description: null, type: 'ID', required: false },
      ],
      type: 'Post',
    })
  })

  test('it is cached by viewer', async () => {
    const first = await service.send('GET', '/docs/model')
    assert.equal(first.headers.get('cache-control'), 'private, no-cache')
    assert.match(first.headers.get('vary') ?? '', /authorization/)
    const again = await service.send('GET', '/docs/model', undefined, { 'if-none-match': first.headers.get('etag')! })
    assert.equal(again.status, 304)
    assert.equal((await service.send('POST', '/docs/model', {})).status, 405)
    assert.equal((await service.send('GET', '/docs/model?x=1')).status, 400)
  })
})
