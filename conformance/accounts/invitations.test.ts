// Invitations: who may create an account invites its owner by mail, on both APIs. Nothing tells the maker whether the address has an
// account, an invitation never gives more rights than its maker has when it is accepted, and it works once.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MailedAccounts, password } from '../harness/mailed-accounts.ts'

const sdl = `
type User @account(verification: REQUIRED) @allow(to: [CREATE]) @allow(who: "self") @allow(role: "admin")
  @allow(role: "manager", to: [CREATE], fields: ["email", "name", "nick"]) {
  id: ID!
  email: String! @unique
  name: String
  nick: String @unique
  roles: [String!]
}`

const next = 'another horse battery'
const minuteMs = 60_000
const dayMs = 24 * 3_600_000

const invite =
  'mutation ($input: CreateUserInput!) { createInvitation(input: $input) { __typename id email createdAt expiresAt } }'

test('invitations', async (t) => {
  const accounts = await MailedAccounts.open(t, sdl)
  const { time } = accounts
  const operator = await accounts.service.operator('admin')
  const users = async () =>
    (await accounts.as(operator, 'GET', '/users?sort=email')).body as {
      email: string
      id: string
      roles: string[] | null
    }[]

  /** Invites as somebody, and reads the mail. */
  const invited = async (token: string, row: { email: string }) => {
    const { result, mail } = await accounts.mailOf(row.email, () => accounts.as(token, 'POST', '/invitations', row))
    assert.equal(result.status, 201, result.text)
    return { id: result.body.id as string, url: mail.url!, mail, result }
  }
  /** An account with a role. */
  const member = async (email: string, roles: string[]) => {
    const { url } = await invited(operator, { email, roles } as { email: string })
    assert.equal((await accounts.press(url, password)).status, 200)
    return accounts.token(email)
  }

  await t.test('R275 R277 the link leads to a page that sets the password and makes the account (REST)', async () => {
    const { url, mail, result } = await invited(operator, { email: 'ann@example.org', roles: ['admin'] } as {
      email: string
    })
    assert.deepEqual(Object.keys(result.body), ['id', 'email', 'createdAt', 'expiresAt'])
    assert.equal(result.headers.get('location'), `/invitations/${result.body.id}`)
    assert.match(mail.subject, /you are invited/)
    assert.equal(mail.code, '')
    const path = url.slice(accounts.service.address.length)
    for (const method of ['GET', 'HEAD', 'GET']) assert.equal((await accounts.call(method, path)).status, 200)
    assert.deepEqual(await users(), [])
    assert.equal((await accounts.press(url)).status, 400)
    assert.equal((await accounts.press(url, 'short')).status, 400)
    assert.match((await accounts.press(url, password)).text, /You have an account/)
    assert.deepEqual([(await accounts.press(url, next)).status, (await accounts.call('GET', path)).status], [410, 410])
    const token = await accounts.token('ann@example.org')
    const [ann] = await users()
    assert.deepEqual(ann!.roles, ['admin'])
    const row = await accounts.as(token, 'GET', `/users/${ann!.id}?fields=_verifiedAt`)
    assert.notEqual(row.body._verifiedAt, null)
  })

  await t.test('R275 R276 the same by createInvitation, invitations and deleteInvitation (GraphQL)', async () => {
    const ann = await accounts.token('ann@example.org')
    const input = { email: 'bob@example.org', name: 'Bob', roles: ['manager'] }
    const { result, mail } = await accounts.mailOf(input.email, () => accounts.graphql(invite, { input }, ann))
    const { __typename, id, email } = result.data.createInvitation
    assert.deepEqual([__typename, email], ['Invitation', 'bob@example.org'])
    assert.equal((await accounts.press(mail.url!, password)).status, 200)
    const { data } = await accounts.graphql('{ invitations { id email } }', {}, ann)
    assert.deepEqual(data.invitations, [])
    const other = await accounts.graphql(invite, { input: { email: 'cat@example.org' } }, ann)
    const withdraw = `mutation ($id: ID!) { deleteInvitation(id: $id) { success message id } }`
    const waiting = other.data.createInvitation.id
    const withdrawn = await accounts.graphql(withdraw, { id: waiting }, ann)
    assert.equal(withdrawn.data.deleteInvitation.success, true)
    assert.equal((await accounts.graphql(withdraw, { id }, ann)).data.deleteInvitation.success, false)
  })

  await t.test('R276 its maker and administrators see and withdraw it; a withdrawn one does not work', async () => {
    const bob = await accounts.token('bob@example.org')
    const { id, url } = await invited(bob, { email: 'dan@example.org' })
    const other = await member('eve@example.org', ['manager'])
    const idsOf = async (token: string) =>
      (await accounts.as(token, 'GET', '/invitations')).body.map((one: { id: string }) => one.id)
    assert.deepEqual([await idsOf(bob), await idsOf(other)], [[id], []])
    assert.deepEqual(await idsOf(operator), [id])
    assert.equal((await accounts.as(other, 'DELETE', `/invitations/${id}`)).status, 404)
    assert.equal((await accounts.as(bob, 'DELETE', `/invitations/${id}`)).status, 204)
    assert.equal((await accounts.as(bob, 'DELETE', `/invitations/${id}`)).status, 404)
    assert.equal((await accounts.press(url, password)).status, 410)
    assert.deepEqual(await idsOf(operator), [])
  })

  const resend = 'mutation ($id: ID!) { resendInvitation(id: $id) { id email createdAt expiresAt } }'

  await t.test('R446 another mail has a new link, and the former link ends, on both APIs', async () => {
    const bob = await accounts.token('bob@example.org')
    for (const api of ['rest', 'graphql']) {
      const email = `again-${api}@example.org`
      const { id, url, result: first } = await invited(bob, { email, name: api } as { email: string })
      time.now += minuteMs
      const { result, mail } = await accounts.mailOf(email, async () =>
        api === 'rest'
          ? (await accounts.as(bob, 'POST', `/invitations/${id}/mails`)).body
          : (await accounts.graphql(resend, { id }, bob)).data.resendInvitation,
      )
      const expiresAt = new Date(Date.parse(first.body.expiresAt) + minuteMs).toISOString()
      assert.deepEqual(result, { ...first.body, expiresAt })
      assert.notEqual(mail.url, url)
      const { body: waiting } = await accounts.as(bob, 'GET', '/invitations')
      assert.deepEqual(
        waiting.filter((one: { email: string }) => one.email === email),
        [result],
      )
      assert.equal((await accounts.press(url, password)).status, 410)
      assert.equal((await accounts.press(mail.url!, password)).status, 200)
      assert.equal((await users()).find((one) => one.email === email)?.email, email)
      assert.equal((await accounts.as(bob, 'POST', `/invitations/${id}/mails`)).status, 404)
      assert.equal((await accounts.graphql(resend, { id }, bob)).errors[0].extensions.code, 'NOT_FOUND')
    }
  })

  await t.test('R446 only its maker and administrators send it again, as often as others', async () => {
    const bob = await accounts.token('bob@example.org')
    const other = await accounts.token('eve@example.org')
    const { id, url } = await invited(bob, { email: 'often@example.org' })
    const path = `/invitations/${id}/mails`
    assert.equal((await accounts.call('POST', path)).status, 401)
    assert.equal((await accounts.as(other, 'POST', path)).status, 404)
    assert.equal((await accounts.as(bob, 'GET', path)).status, 405)
    assert.equal((await accounts.as(bob, 'POST', path, { email: 'x@example.org' })).status, 400)
    assert.equal((await accounts.as(bob, 'POST', `${path}?x=1`)).status, 400)
    const { errors } = await accounts.graphql(resend, { id })
    assert.equal(errors[0].extensions.code, 'UNAUTHENTICATED')
    assert.equal((await accounts.call('GET', url.slice(accounts.service.address.length))).status, 200)
    // At once: each gets a mail or is told to wait, and one link works.
    const { mail } = await accounts.mailOf('often@example.org', () => accounts.as(operator, 'POST', path))
    assert.equal((await accounts.call('GET', mail.url!.slice(accounts.service.address.length))).status, 200)
    const statuses = []
    for (let index = 0; index < 9; index++) statuses.push((await accounts.as(bob, 'POST', path)).status)
    assert.deepEqual([statuses.slice(0, 8), statuses[8]], [Array(8).fill(200), 429])
    const limited = await accounts.graphql(resend, { id }, bob)
    assert.equal(limited.errors[0].extensions.code, 'TOO_MANY_REQUESTS')
    assert.equal((await accounts.as(bob, 'DELETE', `/invitations/${id}`)).status, 204)
    assert.equal((await accounts.as(bob, 'POST', path)).status, 404)
  })

  await t.test('nobody gives more rights than they have, neither then nor when it is accepted', async () => {
    const bob = await accounts.token('bob@example.org')
    const more = await accounts.as(bob, 'POST', '/invitations', { email: 'x@example.org', roles: ['admin'] })
    assert.deepEqual([more.status, more.body.errors[0].path], [403, 'roles'])
    const fay = await member('fay@example.org', ['admin'])
    const { url } = await invited(fay, { email: 'gus@example.org', roles: ['admin'] } as { email: string })
    const { id } = (await users()).find(({ email }) => email === 'fay@example.org')!
    await accounts.as(operator, 'PATCH', `/users/${id}`, { roles: [] })
    const before = (await users()).length
    assert.equal((await accounts.press(url, password)).status, 410)
    assert.equal((await users()).length, before)
    // Nor of an account that is gone.
    const hal = await member('hal@example.org', ['manager'])
    const last = await invited(hal, { email: 'ida@example.org' })
    const maker = (await users()).find(({ email }) => email === 'hal@example.org')!
    assert.equal((await accounts.as(operator, 'DELETE', `/users/${maker.id}`)).status, 204)
    assert.equal((await accounts.press(last.url, password)).status, 410)
  })

  await t.test('one account, even if it is accepted twenty times at once', async () => {
    const { url } = await invited(operator, { email: 'jon@example.org' })
    const before = (await users()).length
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await accounts.press(url, password)).status),
    )
    assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join())
    assert.ok(
      statuses.every((status) => [200, 410].includes(status)),
      statuses.join(),
    )
    assert.equal((await users()).length, before + 1)
  })

  await t.test('R278 a taken address gets the same answer, and its owner a mail without a link', async () => {
    const shapes = []
    const mails = []
    for (const email of ['ann@example.org', 'free@example.org']) {
      const { result, mail } = await accounts.mailOf(email, () =>
        accounts.as(operator, 'POST', '/invitations', { email }),
      )
      shapes.push([
        result.status,
        Object.keys(result.body),
        result.text.length - email.length,
        [...result.headers.keys()],
      ])
      mails.push(mail)
    }
    assert.deepEqual(shapes[0], shapes[1])
    assert.deepEqual([mails[0]!.url, mails[1]!.url !== null], [null, true])
    assert.match(mails[0]!.text, /has an account already/)
    assert.equal((await accounts.signIn('ann@example.org')).status, 201)
  })

  await t.test('R278 its maker sees the address as they wrote it, not as an account has it, on both APIs', async () => {
    const bob = await accounts.token('bob@example.org')
    await member('Taken@example.org', [])
    const imported = await accounts.service.asSystem('POST', '/users', { email: 'Imported@example.org' })
    assert.equal(imported.status, 201)
    for (const email of ['tAken@example.org', 'iMported@example.org', 'nObody@example.org']) {
      const { id, result: created } = await invited(bob, { email })
      const { result: byGraphql } = await accounts.mailOf(email, () =>
        accounts.graphql(invite, { input: { email } }, bob),
      )
      const listed = await accounts.as(bob, 'GET', '/invitations')
      const { data } = await accounts.graphql('{ invitations { id email } }', {}, bob)
      const resent = await accounts.mailOf(email, () => accounts.as(bob, 'POST', `/invitations/${id}/mails`))
      const variables = { id: byGraphql.data.createInvitation.id }
      const { result: again, mail } = await accounts.mailOf(email, () => accounts.graphql(resend, variables, bob))
      const ofAddress = (one: { email: string }) => one.email.toLowerCase() === email.toLowerCase()
      const seen = [
        ...[created.body, byGraphql.data.createInvitation, resent.result.body, again.data.resendInvitation],
        ...[...listed.body.filter(ofAddress), ...data.invitations.filter(ofAddress)],
      ]
      assert.deepEqual(
        seen.map((one) => one.email),
        Array(8).fill(email),
      )
      // The mail goes to the address of the account, whose link works as before.
      assert.equal(mail.to, email.startsWith('n') ? email : email[0]!.toUpperCase() + email.slice(1).toLowerCase())
      if (mail.url !== null) assert.equal((await accounts.press(mail.url, password)).status, 200)
      assert.equal(mail.url === null, email.startsWith('t'))
    }
  })

  await t.test('an account without a password gets one, and nothing else of the invitation', async () => {
    const row = { email: 'kim@example.org', name: 'Kim' }
    const { url } = await invited(operator, row)
    assert.equal((await accounts.press(url, password)).status, 200)
    const code = await accounts.code('VERIFY', 'kim@example.org')
    assert.equal(code.email, 'kim@example.org')
    // Imported: a row without a password.
    const imported = await accounts.service.asSystem('POST', '/users', { email: 'leo@example.org', name: 'Leo' })
    assert.equal(imported.status, 201)
    const second = await invited(operator, { email: 'leo@example.org', name: 'Other', roles: ['admin'] } as {
      email: string
    })
    assert.equal((await accounts.press(second.url, next)).status, 200)
    assert.equal((await accounts.signIn('leo@example.org', next)).status, 201)
    const leo = (await accounts.as(operator, 'GET', '/users?email=leo@example.org')).body[0]
    assert.deepEqual([leo.name, leo.roles], ['Leo', null])
    // Who has a password meanwhile keeps it.
    assert.equal((await accounts.press(second.url, password)).status, 410)
  })

  await t.test('after seven days it has expired', async () => {
    const { url } = await invited(operator, { email: 'mia@example.org' })
    time.now += 7 * dayMs
    assert.equal((await accounts.press(url, password)).status, 410)
    assert.deepEqual((await accounts.as(operator, 'GET', '/invitations')).body, [])
  })

  await t.test('guests invite nobody; mistakes name their places', async () => {
    assert.equal((await accounts.call('POST', '/invitations', { email: 'x@example.org' })).status, 401)
    assert.equal((await accounts.call('GET', '/invitations')).status, 401)
    const { errors } = await accounts.graphql(invite, { input: { email: 'x@example.org' } })
    assert.equal(errors[0].extensions.code, 'UNAUTHENTICATED')
    const kim = await accounts.token('kim@example.org')
    const guest = await accounts.as(kim, 'POST', '/invitations', { email: 'x@example.org' })
    assert.deepEqual([guest.status, guest.body.code], [403, 'FORBIDDEN'])
    const ann = await accounts.token('ann@example.org')
    const wrong: [object | string, string][] = [
      [{ email: 'x@example.org', password }, 'password'],
      [{ name: 'x' }, 'email'],
      [{ email: 'no address' }, 'email'],
      [{ email: 'x@example.org', nmae: 'x' }, 'nmae'],
      ['[]', ''],
    ]
    for (const [body, path] of wrong) {
      const answer = await accounts.as(ann, 'POST', '/invitations', body)
      assert.deepEqual([answer.status, answer.body.errors[0].path], [400, path], JSON.stringify(body))
    }
    assert.equal((await accounts.as(ann, 'PUT', '/invitations/x', {})).status, 405)
    assert.equal((await accounts.as(ann, 'DELETE', '/invitations/mails')).status, 404) // an id like another
    assert.equal((await accounts.as(ann, 'POST', '/invitations/mails', {})).status, 405)
    assert.equal((await accounts.as(ann, 'POST', '/invitations/mails/mails', {})).status, 404)
    for (let index = 0; index < 10; index++) {
      assert.equal((await accounts.as(ann, 'POST', '/invitations', { email: 'many@example.org' })).status, 201)
    }
    const limited = await accounts.as(ann, 'POST', '/invitations', { email: 'many@example.org' })
    assert.deepEqual([limited.status, limited.headers.has('retry-after')], [429, true])
  })
})

test('a schema with invitations of its own keeps their names', async (t) => {
  const own = `${sdl}\ntype Invitation @allow(to: [READ, CREATE]) { id: ID! text: String! }`
  const accounts = await MailedAccounts.open(t, own)
  assert.equal((await accounts.call('POST', '/invitations', { text: 'mine' })).status, 201)
  const { data } = await accounts.graphql('{ invitations { text } }')
  assert.deepEqual(data.invitations, [{ text: 'mine' }])
})
