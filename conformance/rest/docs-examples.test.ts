// Every example of `/docs` succeeds as it is printed, for a viewer who may run it: of the example services with their seed data, and
// of a service with custom operations, states and one-to-one references.
// stores: sqlite

import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { noCurl } from '../docs/no-curl.ts'
import { ServerProcess } from '../harness/server-process.ts'
import { twainCommand, twainModules } from '../harness/twain-modules.ts'

const root = join(import.meta.dirname, '../..')
const shell = promisify(execFile)

/** A token by the name of its viewer; an anonymous viewer has none. */
type Viewers = Map<string, string>

/** Examples for which these services lack settings: they send no mails, and have no providers. */
const withoutSettings = ['createCode', 'verifyAccount', 'beginSignIn', 'createIdentity', 'createInvitation']

/** Examples for which these services have no rows: they have no jobs and no identities, and the receiver of the webhook can't be reached from here, so
 *  that no delivery ends. */
const withoutRows = [
  ...['getBackgroundJob', 'updateBackgroundJob', 'getIdentity', 'deleteIdentity'],
  ...['redeliver', 'getWebhookDelivery', 'getWebhookDeliveryMessage', 'updateWebhookDelivery'],
  ...['deleteInvitation', 'resendInvitation'],
]

/** Examples that nobody may run, by the service. Explanations of rights are for the role admin, which reads no rows of the chat (R323).
 *  Only a member may delete their row of the club, but not by a filter (R266). */
const forNobody = {
  blog: [],
  chat: ['getUserAccess', 'getChannelAccess', 'getMembershipAccess', 'getMessageAccess'],
  club: ['deleteMembers'],
}

test('the blog', { skip: noCurl }, async (t) => {
  const people = ['amara_okafor', 'ingrid_solberg', 'noah_bergeron'].map((name) => `${name}@harbour.example`)
  await runExamples(await openExample(t, 'blog', people))
})

test('the chat', { skip: noCurl }, async (t) => {
  await runExamples(
    await openExample(
      t,
      'chat',
      ['ann', 'bob', 'cid'].map((name) => `${name}@quay.example`),
    ),
  )
})

test('a club with custom operations, states, one-to-one references and values of all kinds', {
  skip: noCurl,
}, async (t) => {
  const folder = temporaryFolder(t)
  const schemaFile = join(folder, 'schema.graphql')
  writeFileSync(schemaFile, club)
  writeFileSync(join(folder, 'twain.config.ts'), code)
  symlinkSync(twainModules, join(folder, 'node_modules'))
  const { server, operator } = await start(t, schemaFile, join(folder, 'data'))
  const viewers: Viewers = new Map([['operator', operator]])
  const send = sender(server)
  const credentials = { email: 'ann@club.example', password: 'fair winds' }
  const { id } = await send('/members', { ...credentials, nick: 'ann' })
  const { token } = await send('/tokens', credentials)
  viewers.set('ann', token)
  await send('/meetings', { title: 'First' }, token)
  await send('/badges', { holder: id, number: '1' }, token)
  await runExamples({ name: 'club', server, viewers, signUp: { path: '/members', body: { nick: 'bob' } } })
})

const club = `
type Member @account @allow(to: [READ, CREATE]) @allow(who: "self") {
  id: ID!
  email: String! @unique @constraint(format: "email") @allow(who: "self", to: [READ])
  nick: String! @unique @constraint(pattern: "^[a-z]+[0-9a-f]*$", maxLength: 12)
  level: Int! @default(value: 1) @allow(role: "admin", to: [CREATE, UPDATE])
  born: Date
}
type Meeting @allow(to: [READ]) @allow(who: "signedIn") {
  id: ID!
  title: String! @constraint(minLength: 3)
  state: State!
  attendance: [Attendance!]!
}
enum State { PLANNED @next(to: [HELD]) HELD }
type Attendance @allow(who: "signedIn") @allow(role: "admin", to: [READ]) {
  id: ID!
  meeting: Meeting! @unique(with: ["member"])
  member: Member!
}
type Badge @allow(who: "signedIn") @allow(role: "admin") { id: ID! holder: Member! @unique number: BigInt! @unique issued: DateTime }
extend type Query {
  nextMeeting(after: String!, limit: Int! = 3): String! @allow
}
extend type Mutation {
  "Invites somebody to a meeting."
  invite(email: String! @constraint(format: "email"), meeting: ID!, note: String): Meeting! @allow(who: "signedIn")
  refresh: Boolean! @allow
}`

const code = `import { defineService } from 'twain'
export default defineService({
  resolvers: {
    Query: { nextMeeting: ({ after }) => after },
    Mutation: { invite: ({ meeting }) => meeting, refresh: () => true },
  },
})`

interface OpenExample {
  name: keyof typeof forNobody
  server: ServerProcess
  viewers: Viewers
  /** A new account, without its login. */
  signUp: { path: string; body: object }
}

async function openExample(t: TestContext, name: 'blog' | 'chat', logins: string[]): Promise<OpenExample> {
  const data = join(temporaryFolder(t), 'data')
  const schemaFile = join(root, `examples/${name}/schema.graphql`)
  execFileSync(process.execPath, [
    twainCommand,
    'seed',
    schemaFile,
    '--seed',
    join(root, `examples/${name}/seed.ts`),
    '--data',
    data,
  ])
  const { server, operator } = await start(t, schemaFile, data)
  const post = sender(server)
  const viewers: Viewers = new Map([['operator', operator]])
  const password = 'fair winds'
  for (const email of logins) viewers.set(email, (await post('/tokens', { email, password })).token)
  const signUp = { path: '/users', body: { name: 'New', ...(name === 'blog' ? { handle: 'newcomer' } : {}) } }
  return { name, server, viewers, signUp }
}

/** Sends a POST that must create something. */
function sender({ address }: ServerProcess) {
  return async (path: string, body: object, token?: string) => {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const headers = { 'content-type': 'application/json', ...authorization }
    const reply = await fetch(`${address}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const answer = (await reply.json()) as { id: string; token: string }
    assert.equal(reply.status, 201, JSON.stringify(answer))
    return answer
  }
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'twain-docs-examples-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function start(t: TestContext, schemaFile: string, data: string) {
  const server = await ServerProcess.start(schemaFile, data)
  t.after(() => server.stop())
  const operator = execFileSync(process.execPath, [twainCommand, 'token', '--role', 'admin', '--data', data])
    .toString()
    .trim()
  return { server, operator }
}

/** Runs the example of every operation as it is printed for a viewer, until one of the viewers succeeds with it. */
async function runExamples({ name: service, server, viewers, signUp }: OpenExample): Promise<void> {
  const pages = new Map<string, Promise<Map<string, string>>>()
  const page = (name: string) => {
    const known = pages.get(name) ?? examplesFor(server, viewers.get(name))
    pages.set(name, known)
    return known
  }
  const excepted = new Set([...withoutRows, ...withoutSettings, ...forNobody[service]])
  const ids = [...(await page('anonymous')).keys()].filter((id) => !excepted.has(id))
  assert.ok(ids.length > 30)
  const first = ['createWebhook', 'createApiKey'] // so that there are deliveries and keys
  const last = ids.filter((id) => /^(updateWebhook|delete)/.test(id))
  const between = ids.filter(
    (id) => ![...first, ...last].includes(id) && !(id.startsWith('unlink') && ids.includes(id.slice(2))),
  )
  /** What was linked can be unlinked; a later page may name other rows. */
  const withUnlinks = between.flatMap((id) => (ids.includes(`un${id}`) ? [id, `un${id}`] : [id]))
  let names = ['anonymous', ...viewers.keys()]
  /** Whether rows have changed since the server printed the pages. To print one takes it longer than all other requests of an example. */
  let isWritten = false
  const succeeded = new Map<string, { name: string; command: string }>()
  /** Nothing once a viewer has succeeded, or what each of them got. */
  const tryAll = async (id: string): Promise<string[]> => {
    const outcomes: string[] = []
    for (const name of names) {
      const command = (await page(name)).get(id)
      if (command === undefined) continue // the account was deleted
      const outcome = await run(command, server, viewers.get(name))
      if (outcome.every((status) => status.startsWith('2'))) {
        isWritten ||= isWrite(command)
        succeeded.set(id, { name, command })
        names = [name, ...names.filter((one) => one !== name)] // who may do this may probably do the next, too
        return []
      }
      outcomes.push(`${name}: ${outcome} ${command}`)
    }
    return outcomes
  }
  const failed: string[] = []
  /** Runs the reads of the pages that a reader gets after all writes but deletes, if they are others than before. */
  const readAgain = async () => {
    pages.clear()
    isWritten = false
    for (const [id, { name, command }] of [...succeeded]) {
      if (isWrite(command) || (await page(name)).get(id) === command) continue
      const outcomes = await tryAll(id)
      if (outcomes.length > 0) failed.push(`${id}, after the writes\n${outcomes.join('\n')}`)
    }
  }
  for (const id of [...first, ...withUnlinks, ...last]) {
    if (id === last[0]) await readAgain()
    if (id === last[0] || (viewers.has(newcomer) && (await isDeleted(server, viewers.get(newcomer)!)))) {
      viewers.set(newcomer, await newAccount(server, signUp))
      names = [...names.filter((name) => name !== newcomer), newcomer]
      pages.delete(newcomer)
      isWritten = true
    }
    let outcomes = await tryAll(id)
    if (outcomes.length > 0 && isWritten) {
      pages.clear() // the examples are for the rows that there are now
      isWritten = false
      outcomes = await tryAll(id)
    }
    if (outcomes.length > 0) failed.push(`${id}\n${outcomes.join('\n')}`)
  }
  assert.deepEqual(failed, [], failed.join('\n\n'))
}

const newcomer = 'an account that no row refers to'

/** A deleted account has no tokens left. */
async function isDeleted({ address }: ServerProcess, token: string): Promise<boolean> {
  const tokens = await fetch(`${address}/tokens`, { headers: { authorization: `Bearer ${token}` } })
  return tokens.status === 401 || (await tokens.text()) === '[]'
}

async function newAccount(server: ServerProcess, { path, body }: OpenExample['signUp']): Promise<string> {
  const post = sender(server)
  const credentials = { email: 'newcomer@example.com', password: 'fair winds' }
  await post(path, { ...body, ...credentials })
  return (await post('/tokens', credentials)).token
}

/** The commands on the page, by the id of their operation. */
async function examplesFor({ address }: ServerProcess, token: string | undefined): Promise<Map<string, string>> {
  const headers = { accept: 'text/html', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
  const html = await (await fetch(`${address}/docs`, { headers })).text()
  const found = html.matchAll(
    /<details class="operation" id="([^"]*)">(?:(?!<\/details>)[\s\S])*?<div class="copy"><pre>([\s\S]*?)<\/pre>/g,
  )
  return new Map([...found].map(([, id, text]) => [id!, decode(text!)]))
}

function decode(html: string): string {
  const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' }
  return html.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity]!)
}

function isWrite(command: string): boolean {
  return /-X|--json|-d /.test(command)
}

/** The statuses of the commands. Only the address is that of the server. */
async function run(command: string, { address }: ServerProcess, token = ''): Promise<string[]> {
  const script = command
    .replaceAll('http://localhost:4000', address)
    .replaceAll(/^curl /gm, "curl -s -m 20 -o /dev/null -w '%{http_code}\\n' ")
  const { stdout } = await shell('sh', ['-c', script], { env: { ...process.env, TOKEN: token } })
  return stdout.trim().split('\n')
}
