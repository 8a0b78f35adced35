// Logins that look alike are one login, but not one mailbox: who proves one of them has not proven the other. So nobody keeps a key to
// the account of somebody else, neither after a reset by mail nor after a sign-in at an external issuer.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultAuthSettings } from '../../packages/twain/src/auth/index.ts'
import { openIssuer } from '../../packages/twain/src/auth/tokens/external-issuer.fixture.ts'
import { bodyText, plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { Mailbox } from '../../packages/twain/src/mail/index.ts'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

const sdl = `
type User @account @allow(to: [CREATE]) @allow(who: "self") {
  id: ID!
  email: String! @unique
}`

test('an identity with a look-alike of an address does not prove the address', async (t) => {
  const { jwks, name, sign } = await openIssuer(t)
  const issuers = JSON.stringify([{ issuer: name, jwks, audience: 'api', createAccounts: true }])
  const mailbox = new Mailbox()
  const service = await TestService.open(t, sdl, { mailbox, auth: { ...defaultAuthSettings, issuers } })
  mailbox.origin = service.address
  let signIns = 0
  const signed = async (sub: string, email: string) => {
    const auth_time = Math.floor(Date.now() / 1000)
    // Viewers are cached for a second by their token: each sign-in has its own.
    const jti = String(signIns++)
    return { authorization: `Bearer ${await sign({ sub, email, email_verified: true, auth_time, jti })}` }
  }
  /** An account of the attacker: proven by an address that looks like that of the victim, whose address it takes then. */
  async function attack(victim: string): Promise<{ id: string; again: () => Promise<string[]> }> {
    const twin = victim.replace('i', '\u0131')
    const attacker = await signed(`attacker of ${victim}`, twin)
    const [{ id, email }] = await service.succeed('GET', '/users', undefined, attacker)
    assert.equal(email, twin)
    await service.succeed('PATCH', `/users/${id}`, { email: victim, password: 'the attacker knows it' }, attacker)
    return { id, again: async () => ownUsers(await signed(`attacker of ${victim}`, twin)) }
  }
  async function ownUsers(headers: Record<string, string>): Promise<string[]> {
    const query = '{ users { id } }'
    const [rest, graphql] = [
      await service.send('GET', '/users', undefined, headers),
      await service.send('POST', '/graphql', { query }, headers),
    ]
    return [...(Array.isArray(rest.body) ? rest.body : []), ...(graphql.body.data?.users ?? [])].map(({ id }) => id)
  }
  await t.test('for a sign-in at an issuer', async () => {
    const { id, again } = await attack('victim@example.org')
    assert.deepEqual(
      await ownUsers(await signed('victim', 'victim@example.org')),
      [],
      'not the account of the attacker',
    )
    assert.deepEqual(await again(), [id, id])
    assert.equal(await addressOf(id), 'v\u0131ctim@example.org', 'the new address waits for its proof')
  })

  await t.test('for a code by mail', async () => {
    const { id } = await attack('bib@example.org')
    await service.succeed('POST', '/codes', { for: 'SIGN_IN', email: 'bib@example.org' })
    const mails = (to: string) => async () => mailbox.mails.filter((mail) => mail.to === to)
    const [told] = await until(mails('b\u0131b@example.org'), ({ length }) => length > 0)
    assert.ok(told)
    for (const { code } of await mails('bib@example.org')()) {
      const { status } = await service.send('POST', '/tokens', { email: 'bib@example.org', code, secret: 'unknown' })
      assert.equal(status, 401)
    }
    assert.equal(await addressOf(id), 'b\u0131b@example.org')
  })

  async function addressOf(id: string): Promise<string> {
    const reply = await service.service.handleAsSystem(plainRequest('GET', `/users/${id}`))
    return JSON.parse(await bodyText(reply)).email
  }
})
