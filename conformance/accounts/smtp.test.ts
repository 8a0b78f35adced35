// Mails by a real SMTP server: what arrives, TLS, refusals and retries of the queue; texts and senders of custom code; and what is
// stored meanwhile.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { openSmtp } from '../../packages/twain/src/mail/index.ts'
import { StartRefused } from '../../packages/twain/src/store/index.ts'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

const sdl = `
type User @account @allow(to: [CREATE]) @allow(who: "self") {
  id: ID!
  email: String! @unique
}`

const origin = 'https://api.example.com'
const from = 'Shop <shop@example.com>'

test('mails arrive; a temporary refusal is tried again, a final one is not', async (t) => {
  let refusals = 1
  const smtp = await openServer(t, {
    onRcptTo: ({ address }, _session, done) => {
      if (address === 'full@example.org') return done(refusal(550, 'No such mailbox'))
      done(refusals-- > 0 ? refusal(451, 'Try again later') : null)
    },
  })
  const logged: string[] = []
  const note = (fields: object, message: string) => logged.push(`${message} ${JSON.stringify(fields)}`)
  const service = await TestService.open(t, sdl, {
    mail: { url: `smtp://127.0.0.1:${smtp.port}`, from },
    http: { origin },
    log: { info: note, warn: note, error: note },
  })
  const post = (path: string, body: object) =>
    fetch(service.address + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  for (const email of ['ann@example.org', 'full@example.org', 'a@example.org,b@example.org']) {
    assert.equal((await post('/users', { email, password: 'correct horse battery' })).status, 201)
    assert.equal((await post('/codes', { for: 'RESET', email })).status, 202)
  }
  const [mail] = await until(
    async () => smtp.mails,
    ({ length }) => length > 0,
  )
  assert.match(mail!, /^From: Shop <shop@example\.com>\r$/m)
  assert.match(mail!, /^To: ann@example\.org\r$/m)
  const text = decodeQuotedPrintable(mail!)
  assert.match(text, /https:\/\/api\.example\.com\/codes\/link\?token=[\w-]{22}/)
  assert.match(text, /[0-9A-Z]{4}-[0-9A-Z]{4}/)
  await until(
    async () => logged.join('\n'),
    (lines) => /refused/.test(lines) && /retrying/.test(lines),
  )
  assert.ok(logged.some((line) => line.startsWith('mail refused; giving up')))
  assert.ok(logged.some((line) => line.startsWith('mail not sent; retrying')))
  assert.ok(!/token=|[0-9A-Z]{4}-[0-9A-Z]{4}"/.test(logged.join('\n')))
  assert.deepEqual(smtp.recipients, ['ann@example.org'])
  assert.equal((await fetch(`${service.address}/mails`)).status, 404)
})

test('TLS: a certificate is checked, and credentials are sent', async (t) => {
  const file = (name: string) => readFileSync(join(import.meta.dirname, '../harness/certificates', name))
  const smtp = await openServer(t, {
    secure: true,
    key: file('server.key'),
    cert: file('server.crt'),
    authOptional: false,
    onAuth: ({ username, password }, _session, done) => {
      if (username === 'shop' && password === 'p@ss') return done(null, { user: 'shop' })
      done(new Error('wrong credentials'))
    },
  })
  const message = { from, to: 'ann@example.org', subject: 'Hi', text: 'Hello' }
  const address = `127.0.0.1:${smtp.port}`
  await assert.rejects((await openSmtp(`smtps://shop:p%40ss@${address}`))(message), /certificate/)
  await assert.rejects(
    (await openSmtp(`smtps://shop:no@${address}?tls.rejectUnauthorized=false`))(message),
    /login|auth/i,
  )
  await (await openSmtp(`smtps://shop:p%40ss@${address}?tls.rejectUnauthorized=false`))(message)
  assert.equal(smtp.mails.length, 1)
})

test('smtp:// beyond this machine needs STARTTLS, so that nobody on the way can remove it', async (t) => {
  const plain = await openServer(t, {})
  const file = (name: string) => readFileSync(join(import.meta.dirname, '../harness/certificates', name))
  const tls = { key: file('server.key'), cert: file('server.crt'), disabledCommands: ['AUTH'] }
  const encrypted: boolean[] = []
  const upgrading = await openServer(t, {
    ...tls,
    onMailFrom: (_address, { secure }, done) => {
      encrypted.push(secure)
      done()
    },
  })
  const message = { from, to: 'ann@example.org', subject: 'Hi', text: 'Hello' }
  // Not an address of this machine by its name, and yet the server of this test.
  const other = '0.0.0.0'
  await assert.rejects((await openSmtp(`smtp://${other}:${plain.port}`))(message), /did not start TLS/)
  await assert.rejects((await openSmtp(`smtp://127.0.0.1:${plain.port}?tls=required`))(message), /did not start TLS/)
  assert.equal(plain.mails.length, 0)
  await (await openSmtp(`smtp://127.0.0.1:${plain.port}`))(message)
  await (await openSmtp(`smtp://${other}:${plain.port}?tls=never`))(message)
  assert.equal(plain.mails.length, 2)
  const certificate = /certificate of the mail server is not valid: .*certificate.*write smtp:\/\/…\?tls=never/
  await assert.rejects((await openSmtp(`smtp://${other}:${upgrading.port}`))(message), certificate)
  await (await openSmtp(`smtp://${other}:${upgrading.port}?tls.rejectUnauthorized=false`))(message)
  assert.deepEqual([upgrading.mails.length, encrypted], [1, [true]])
})

test('mails of custom code read no files of the server', async (t) => {
  const smtp = await openServer(t, {})
  const send = await openSmtp(`smtp://127.0.0.1:${smtp.port}`)
  const text = { path: join(import.meta.dirname, 'smtp.test.ts') } as unknown as string
  await assert.rejects(send({ from, to: 'ann@example.org', subject: 'Hi', text }), /File access rejected/)
  assert.equal(smtp.mails.length, 0)
})

test('custom code writes and sends mails; a service without a public address refuses to start', async (t) => {
  const code = `
    export default {
      mails: { reset: ({ code, url, account, service }) => ({ subject: service, text: [code, url, account.email].join(' ') }) },
      mail: { from: 'x@example.com', send: async (message) => { globalThis.sentMails.push(message) } },
    }`
  const sent: { to: string; text: string; from: string }[] = []
  Object.assign(globalThis, { sentMails: sent })
  await assert.rejects(TestService.open(t, sdl, { code }), (error) => {
    assert.ok(error instanceof StartRefused)
    assert.match(error.message, /http\.origin/)
    return true
  })
  const options = { code, http: { origin }, mail: { url: null, from: 'x@example.com' } }
  const service = await TestService.open(t, sdl, options)
  const headers = { 'content-type': 'application/json' }
  const post = (path: string, body: object) =>
    fetch(service.address + path, { method: 'POST', headers, body: JSON.stringify(body) })
  await post('/users', { email: 'Ann@example.org', password: 'correct horse battery' })
  await post('/codes', { for: 'RESET', email: 'ann@example.org' })
  const [mail] = await until(
    async () => sent,
    ({ length }) => length > 0,
  )
  assert.deepEqual([mail!.to, mail!.from], ['Ann@example.org', 'x@example.com'])
  assert.match(mail!.text, /^[0-9A-Z]{8} https:\/\/api\.example\.com\/codes\/link\?token=[\w-]{22} Ann@example\.org$/)
})

async function openServer(t: TestContext, options: SMTPServerOptions) {
  const mails: string[] = []
  const recipients: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.secure === true ? [] : ['STARTTLS'],
    logger: false,
    onData(stream, session, done) {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        mails.push(Buffer.concat(parts).toString())
        recipients.push(...session.envelope.rcptTo.map(({ address }) => address))
        done()
      })
    },
    ...options,
  })
  server.on('error', () => {}) // a client that does not trust the certificate hangs up
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  t.after(() => new Promise<void>((done) => server.close(() => done())))
  return { mails, recipients, port: (server.server.address() as AddressInfo).port }
}

function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode })
}

function decodeQuotedPrintable(text: string): string {
  return text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
