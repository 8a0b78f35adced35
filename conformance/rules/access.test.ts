// Why somebody may do something with a row, or may not: `GET /posts/{id}/access` and `rowAccess`. Each answer is compared with what
// the same viewer's requests get.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Person, TestService } from '../harness/test-service.ts'

const sdl = `
  type User @account @allow(to: [READ, CREATE]) @allow(role: "admin") {
    id: ID! email: String! @unique name: String! role: String @allow(role: "admin")
  }
  type Team @allow(role: "admin") @allow(who: "members", to: [READ]) { id: ID! name: String! members: [User!]! }
  type Post
    @allow(to: [READ], where: {status: {eq: PUBLISHED}})
    @allow(who: "author", to: [READ, UPDATE])
    @allow(role: "editor", to: [READ, UPDATE, DELETE])
    @allow(role: "admin", to: [READ])
  {
    id: ID!
    slug: String! @unique
    author: User! @auto(set: VIEWER)
    body: String
    note: String @allow(role: "editor") @allow(role: "admin", to: [READ])
    secret: String @allow(who: "author")
    kind: String @immutable
    status: Status!
    team: Team
  }
  enum Status {
    DRAFT @next(to: [REVIEW], where: {body: {isNull: false}}) @next(to: [PUBLISHED], role: "editor")
    REVIEW @next(to: [PUBLISHED], role: "editor")
    PUBLISHED
  }
`

interface Answer {
  action: string
  field: string | null
  from: string | null
  to: string | null
  allowed: boolean | null
  because: string
  rules: { rule: string; place: string; holds: boolean | null }[]
}

interface Access {
  viewer: { account: string | null; roles: string[]; verified: boolean; locked: boolean }
  answers: Answer[]
}

/** By REST, and by GraphQL, which must answer alike. `as`: null for the asker. */
async function accessOf(
  service: TestService,
  resource: string,
  id: string,
  as: string | null,
  headers: Record<string, string>,
): Promise<Access> {
  const path = `/${resource}/${id}/access${as === null ? '' : `?as=${as}`}`
  const found: Access = await service.succeed('GET', path, undefined, headers)
  const query = `query ($resource: String!, $id: ID!, $as: String) { rowAccess(resource: $resource, id: $id, as: $as) {
    viewer { account roles verified locked }
    answers { action field from to allowed because rules { rule place holds } }
  } }`
  const { data } = await service.succeed('POST', '/graphql', { query, variables: { resource, id, as } }, headers)
  assert.deepEqual(data.rowAccess, found, 'both APIs answer alike')
  return found
}

function find({ answers }: Access, action: string, field: string | null = null, to: string | null = null): Answer {
  return answers.find((one) => one.action === action && one.field === field && one.to === to)!
}

describe('the explanation of rights', () => {
  let service: TestService
  let admin: { authorization: string }
  const people: Record<string, Person> = {}

  before(async () => {
    service = await TestService.open({ after() {} }, sdl)
    admin = { authorization: `Bearer ${await service.operator('admin')}` }
    for (const name of ['ann', 'bob', 'eve', 'leo']) people[name] = await service.signUp(name)
    await service.succeed('PATCH', `/users/${people.eve!.id}`, { role: 'editor' }, admin)
  })
  after(() => service?.close())

  let number = 0
  const newPost = async (more: object = {}): Promise<string> => {
    number += 1
    const id = `post-${number}`
    const values = { slug: id, author: people.ann!.id, kind: 'essay', body: 'Text', note: 'n', secret: 's', ...more }
    assert.equal((await service.asSystem('PUT', `/posts/${id}`, values)).status, 201)
    return id
  }
  const access = (id: string, as: string): Promise<Access> => accessOf(service, 'posts', id, as, admin)
  const as = (name: string): Record<string, string> =>
    name === 'nobody' ? {} : name === 'operator' ? admin : { authorization: people[name]!.authorization }

  test('R321: somebody who can not see a post learns which rules would show it', async () => {
    const read = find(await access(await newPost(), `account:${people.bob!.id}`), 'READ')
    assert.equal(read.allowed, false)
    assert.match(
      read.because,
      /^Post: \S+:7 @allow\(to: \[READ\]\) where status = PUBLISHED does not match this row; \S+:8 @allow\(who: "author", to: \[READ, UPDATE\]\) or .* would allow it\.$/,
    )
    assert.deepEqual(
      read.rules.map(({ holds }) => holds),
      [false, false, false, false],
    )
    assert.match(read.rules[0]!.place, /schema\.graphql:7$/)
  })

  test('R321: each answer names the rule that decides', async () => {
    const ofAuthor = await access(await newPost({ body: null }), `account:${people.ann!.id}`)
    assert.match(find(ofAuthor, 'READ').because, /:8 @allow\(who: "author", to: \[READ, UPDATE\]\) allows it\.$/)
    assert.match(find(ofAuthor, 'DELETE').because, /^Post: .*:9 @allow\(role: "editor".* would allow it\.$/)
    assert.match(
      find(ofAuthor, 'READ', 'note').because,
      /^Post\.note: \S+:\d+ @allow\(role: "editor", .* would allow it\.$/,
    )
    assert.equal(find(ofAuthor, 'READ', 'body').because, 'Post.body follows the rules of Post.')
    assert.match(find(ofAuthor, 'UPDATE', 'kind').because, /@immutable, so only a create sets it\.$/)
    assert.match(find(ofAuthor, 'UPDATE', 'author').because, /@auto, so the server sets it\.$/)
    assert.match(
      find(ofAuthor, 'UPDATE', 'status', 'REVIEW').because,
      /@next\(to: \[REVIEW\]\) where body is not null does not match this row\.$/,
    )
    assert.match(
      find(ofAuthor, 'UPDATE', 'status', 'PUBLISHED').because,
      /@next\(to: \[PUBLISHED\], role: "editor"\) would allow it\.$/,
    )
  })

  for (const name of ['nobody', 'ann', 'bob', 'eve', 'operator']) {
    test(`R322: what is explained of ${name} is what their requests get`, async () => {
      const subject = name === 'nobody' ? name : name === 'operator' ? 'role:admin' : `account:${people[name]!.id}`
      for (const status of ['DRAFT', 'PUBLISHED']) {
        const id = await newPost({ status })
        const found = await access(id, subject)
        const got = await service.send('GET', `/posts/${id}`, undefined, as(name))
        assert.equal(got.status === 200, find(found, 'READ').allowed, 'READ')
        for (const { action, field, to, allowed } of found.answers.filter((one) => one.field !== null)) {
          if (action === 'READ') {
            assert.equal(got.status === 200 && Object.hasOwn(got.body, field!), allowed, `READ ${field}`)
            continue
          }
          const one = to === null ? id : await newPost({ status })
          const sent = { [field!]: to ?? (field === 'team' ? null : `${name}-${id}`) }
          const reply = await service.send('PATCH', `/posts/${one}`, sent, as(name))
          if (field !== 'team') assert.equal(reply.status === 200, allowed, `UPDATE ${field} ${to}: ${reply.status}`)
        }
        const deleted = await service.send('DELETE', `/posts/${id}`, undefined, as(name))
        assert.equal(deleted.status === 204, find(found, 'DELETE').allowed, 'DELETE')
      }
    })
  }

  test('R320: a locked account may do nothing, and the answer says why', async () => {
    const id = await newPost({ status: 'PUBLISHED' })
    await service.succeed('PATCH', `/users/${people.leo!.id}`, { _locked: true }, admin)
    const { viewer, answers } = await access(id, `account:${people.leo!.id}`)
    assert.deepEqual(viewer, { account: people.leo!.id, roles: [], verified: false, locked: true })
    assert.ok(answers.every(({ allowed, because }) => !allowed && because.includes('locked')))
  })

  test('R320: without "as" the answers are of the asker; a key in the path names the row', async () => {
    const id = await newPost({ status: 'PUBLISHED' })
    const own: Access = await service.succeed('GET', `/posts/${id}/access`, undefined, admin)
    assert.deepEqual(own.viewer.roles, ['admin'])
    assert.deepEqual(await service.succeed('GET', `/posts/slug=${id}/access`, undefined, admin), own)
  })

  test('one document asks about three rows at most', async () => {
    const id = await newPost()
    const of = (count: number) => ({
      query: `{ ${Array.from({ length: count }, (_, at) => `a${at}: rowAccess(resource: "posts", id: "${id}") { viewer { account } }`).join(' ')} }`,
    })
    const three = await service.succeed('POST', '/graphql', of(3), admin)
    assert.equal(Object.keys(three.data).length, 3)
    const { body } = await service.send('POST', '/graphql', of(4), admin)
    assert.equal(body.errors[0].extensions.code, 'QUERY_TOO_COSTLY')
  })

  test('R323: only the role admin may ask, about rows and accounts that it may read; mistakes name their place', async () => {
    const id = await newPost({ status: 'PUBLISHED' })
    const query = (more: string, of = id) => ({
      query: `{ rowAccess(resource: "posts", id: "${of}"${more}) { answers { allowed } } }`,
    })
    const cases: [path: string, body: object, headers: Record<string, string>, status: number, code: string][] = [
      [`/posts/${id}/access`, query(''), {}, 401, 'UNAUTHENTICATED'],
      [`/posts/${id}/access`, query(''), as('eve'), 403, 'FORBIDDEN'],
      ['/posts/none/access', query('', 'none'), admin, 404, 'NOT_FOUND'],
      [`/posts/${id}/access?as=bob`, query(', as: "bob"'), admin, 400, 'VALIDATION_FAILED'],
      [`/posts/${id}/access?as=role:editr`, query(', as: "role:editr"'), admin, 400, 'VALIDATION_FAILED'],
      [`/posts/${id}/access?as=account:none`, query(', as: "account:none"'), admin, 400, 'VALIDATION_FAILED'],
    ]
    for (const [path, body, headers, status, code] of cases) {
      const rest = await service.send('GET', path, undefined, headers)
      assert.deepEqual([rest.status, rest.body.code], [status, code], path)
      const { body: graphql } = await service.send('POST', '/graphql', body, headers)
      assert.equal(graphql.errors[0].extensions.code, code, path)
      if (status !== 400) continue
      assert.equal(rest.body.errors[0].path, 'as')
      assert.equal(graphql.errors[0].extensions.errors[0].message, rest.body.errors[0].message)
    }
    const near = await service.send('GET', `/posts/${id}/access?as=role:editr`, undefined, admin)
    assert.match(near.body.errors[0].message, /Did you mean "?editor"?\?/)
    const unknown = await service.send('GET', `/posts/${id}/access?to=bob`, undefined, admin)
    assert.deepEqual([unknown.status, unknown.body.errors[0].path], [400, 'to'])
    const hidden = await service.send('GET', `/posts/${id}/access?as=nobody`, undefined, admin)
    assert.ok(
      !hidden.body.answers.some(({ field }: Answer) => field === 'secret'),
      'a field that the asker can not read',
    )
  })
})

const courtSdl = `
  type User @account @allow(to: [READ, CREATE]) { id: ID! email: String! @unique role: String }
  type Vault @allow(role: "auditor") @allow(role: "admin", to: [READ], where: {shared: {eq: true}}) {
    id: ID! shared: Boolean! code: String
  }
  type Case
    @allow(role: "admin", to: [READ, UPDATE])
    @allow(role: "admin", to: [DELETE], where: {verdict: {eq: "GUILTY"}})
    @allow(to: [READ], where: {verdict: {eq: "GUILTY"}})
    @allow(role: "clerk", to: [READ], where: {vault: {code: {eq: "1234"}}})
    @allow(role: "clerk", to: [READ], where: {title: {eq: "Open"}})
    @allow(role: "judge", to: [READ, UPDATE], where: {vaults: {some: {code: {eq: "1234"}}}, title: {ne: "Closed"}})
  {
    id: ID!
    title: String!
    sealed: Boolean!
    verdict: String @allow(role: "admin", to: [READ], where: {sealed: {eq: false}})
    status: Status! @allow(role: "admin", to: [READ], where: {sealed: {eq: false}})
    note: String @allow(role: "admin") @allow(role: "clerk", where: {verdict: {eq: "GUILTY"}})
    vault: Vault
    vaults: [Vault!]!
  }
  enum Status { SUSPECT @next(to: [CHARGED], where: {verdict: {eq: "GUILTY"}}) CHARGED @next(to: [SUSPECT]) }
`

describe('the explanation of rights on rows with hidden values', () => {
  let service: TestService
  let admin: { authorization: string }

  before(async () => {
    service = await TestService.open({ after() {} }, courtSdl)
    admin = { authorization: `Bearer ${await service.operator('admin')}` }
    for (const shared of [true, false]) {
      for (const code of ['1234', '9999'])
        await put(`/vaults/${shared ? 'shared' : 'hidden'}-${code}`, { shared, code })
    }
  })
  after(() => service?.close())

  const put = async (path: string, values: object): Promise<void> => {
    assert.equal((await service.asSystem('PUT', path, values)).status, 201)
  }
  /** A case whose hidden values let rules hold, or not. */
  const newCase = async (id: string, holds: boolean, more: { sealed: boolean; title?: string }): Promise<string> => {
    const vault = `${more.sealed ? 'hidden' : 'shared'}-${holds ? '1234' : '9999'}`
    const values = { verdict: holds ? 'GUILTY' : 'NONE', status: holds ? 'SUSPECT' : 'CHARGED', vault, vaults: [vault] }
    await put(`/cases/${id}`, { title: 'Some', note: 'n', ...values, ...more })
    return id
  }
  const ask = (id: string, as: string | null): Promise<Access> => accessOf(service, 'cases', id, as, admin)
  const isOfState = ({ field, from }: Answer) => field === 'status' || from !== null

  for (const as of ['nobody', 'role:clerk', 'role:judge', 'role:admin']) {
    test(`R324: about ${as}, rows that differ only in hidden values have the same explanation`, async () => {
      const [one, other] = [`${as.slice(-4)}-1`, `${as.slice(-4)}-2`]
      const found = await ask(await newCase(one, true, { sealed: true }), as)
      assert.deepEqual(found, await ask(await newCase(other, false, { sealed: true }), as))
      assert.ok(!found.answers.some((answer) => isOfState(answer) || answer.field === 'verdict'))
      const { body } = await service.send('GET', `/cases/${one}`, undefined, admin)
      assert.ok(!Object.hasOwn(body, 'status') && !Object.hasOwn(body, 'verdict'), 'reads hide them, too')
    })
  }

  test('R324: a judgement is null where a hidden value decides, and says which rule; what the asker may know decides otherwise', async () => {
    const nobody = find(await ask(await newCase('null-1', true, { sealed: true }), 'nobody'), 'READ')
    assert.equal(nobody.allowed, null)
    assert.match(
      nobody.because,
      /^Case: \S+:9 @allow\(to: \[READ\]\) where verdict = GUILTY depends on values .* that you may not read\.$/,
    )
    assert.deepEqual(
      nobody.rules.map(({ holds }) => holds),
      [false, null, false, false, false],
      'rules for other roles are known not to hold',
    )
    const clerk = await ask(await newCase('null-2', false, { sealed: true, title: 'Open' }), 'role:clerk')
    assert.equal(find(clerk, 'READ').allowed, true, 'one rule is enough')
    assert.deepEqual(
      find(clerk, 'READ').rules.map(({ holds }) => holds),
      [false, null, null, true, false],
    )
    assert.equal(find(clerk, 'READ', 'note').allowed, null)
    assert.equal(find(clerk, 'UPDATE', 'note').allowed, false)
    const judge = await ask(await newCase('null-3', true, { sealed: true, title: 'Closed' }), 'role:judge')
    assert.equal(find(judge, 'READ').rules[4]!.holds, false, 'the title alone decides')
    assert.equal(find(judge, 'UPDATE').allowed, false)
  })

  test('R324: where the asker may read the values, each rule is judged', async () => {
    for (const holds of [true, false]) {
      const id = await newCase(`known-${holds}`, holds, { sealed: false })
      const nobody = await ask(id, 'nobody')
      assert.equal(find(nobody, 'READ').allowed, holds)
      const clerk = await ask(id, 'role:clerk')
      assert.deepEqual(
        find(clerk, 'READ').rules.map((rule) => rule.holds),
        [false, holds, holds, false, false],
      )
      assert.equal(find(clerk, 'READ', 'note').allowed, holds)
      assert.equal(find(await ask(id, 'role:judge'), 'UPDATE').allowed, holds)
      const [transition] = (await ask(id, 'role:admin')).answers.filter(({ from }) => from !== null)
      assert.equal(transition?.from, holds ? 'SUSPECT' : 'CHARGED')
      assert.equal(transition?.allowed, true)
    }
  })

  test('R324: of their own rights, askers learn what their requests show', async () => {
    for (const holds of [true, false]) {
      const id = await newCase(`own-${holds}`, holds, { sealed: true })
      const own = find(await ask(id, null), 'DELETE')
      assert.deepEqual([own.allowed, own.rules[0]!.holds], [holds, null])
      if (holds) assert.match(own.because, /:8 @allow\(.*\) where verdict = GUILTY allows it\.$/)
      const { status } = await service.send('DELETE', `/cases/${id}`, undefined, admin)
      assert.equal(status, holds ? 204 : 403)
    }
  })
})
