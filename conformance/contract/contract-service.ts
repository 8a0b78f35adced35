// A running service, its printed contract, and viewers who send requests to it.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { ServerProcess } from '../harness/server-process.ts'
import { type PrintedContract, readContract } from './printed-contract.ts'

const root = join(import.meta.dirname, '../..')
const twain = join(root, 'packages/twain/bin/twain.js')

export interface Reply {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: the tests read members of any JSON
  body: any
}

export interface ContractService {
  contract: PrintedContract
  address: string
  /** To a second server of the orchestra, with a quota of 3 requests a minute. */
  sendToLimited?: ContractService['send']
  /** The path of the accounts. */
  accounts: string
  /** Creates an account and signs it in as a viewer of that name. Returns the path of its row. */
  createAccount(name: string): Promise<string>
  /** The tokens by the name of the viewer; the anonymous viewer has none. */
  viewers: Map<string, string | undefined>
  /** `viewer` is the name of one of the viewers; default: anonymous. A body is sent as JSON. */
  send(method: string, path: string, options?: SendOptions): Promise<Reply>
  /** The body of the example of an operation in the OpenAPI document: `PUT /users/{id}`. */
  exampleBody(operation: string): Promise<Record<string, unknown>>
}

export interface SendOptions {
  viewer?: string
  body?: unknown
  headers?: Record<string, string>
}

interface Opened {
  schemaFile: string
  seed?: string
  account: { path: string; input(name: string): Record<string, unknown> }
  flags?: string[]
}

/** A quota that no test reaches, so that answers have `RateLimit`. */
const quota = ['--limits-requests-per-minute', '1000000']

export function openExample(t: TestContext, name: 'blog' | 'chat'): Promise<ContractService> {
  const folder = join(root, 'examples', name)
  const input = (person: string) => ({ name: person, ...(name === 'blog' ? { handle: `${person}_contract` } : {}) })
  const seed = join(folder, 'seed.ts')
  return open(t, { schemaFile: join(folder, 'schema.graphql'), seed, account: { path: '/users', input } })
}

/** A schema with every directive. Its limits are small enough to be reached. */
export async function openOrchestra(t: TestContext): Promise<ContractService> {
  const folder = temporaryFolder(t)
  const schemaFile = join(folder, 'schema.graphql')
  cpSync(join(import.meta.dirname, 'orchestra.graphql'), schemaFile)
  writeFileSync(join(folder, 'twain.config.ts'), orchestraCode)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const account = { path: '/musicians', input: (name: string) => ({ name }) }
  const flags = ['--limits-cascade', '2', '--limits-code-seconds', '1']
  const service = await open(t, { schemaFile, account, flags })
  const limited = await ServerProcess.start(
    schemaFile,
    join(folder, 'limited'),
    [],
    ['--limits-requests-per-minute', '3'],
  )
  t.after(() => limited.stop())
  return { ...service, sendToLimited: sender(limited.address, new Map()) }
}

const orchestraCode = `import { defineService } from 'twain'
export default defineService({
  resolvers: {
    Score: { label: (rows) => rows.map(({ title }) => title) },
    Query: {
      async longest({ unit }) {
        if (unit === 'broken') throw new Error('a detail of the server')
        if (unit === 'slow') await new Promise((resolve) => setTimeout(resolve, 3000))
        return []
      },
      secret: () => 'x',
    },
    Mutation: { stamp: () => true, choose: () => 'x' },
  },
})`

async function open(t: TestContext, { schemaFile, seed, account, flags = [] }: Opened): Promise<ContractService> {
  const data = join(temporaryFolder(t), 'data')
  const command = (...args: string[]) => execFileSync(process.execPath, [twain, ...args], { encoding: 'utf8' })
  const contract = readContract(command('print', schemaFile, '--contract', ...quota, ...flags))
  const more = seed === undefined ? [] : ['--seed', seed]
  const server = await ServerProcess.start(schemaFile, data, more, [...quota, ...flags])
  t.after(() => server.stop())
  const operator = command('token', '--role', 'admin', '--data', data).trim()
  const viewers = new Map<string, string | undefined>([
    ['anonymous', undefined],
    ['operator', operator],
  ])
  const { address } = server
  const send = sender(address, viewers)
  const createAccount = async (name: string) => {
    const credentials = { email: `${name}@example.org`, password: 'fair winds' }
    const made = await send('POST', account.path, { body: { ...account.input(name), ...credentials } })
    assert.equal(made.status, 201, made.text)
    viewers.set(name, (await send('POST', '/tokens', { body: credentials })).body.token)
    return made.headers.get('location')!
  }
  await createAccount('ann')
  return {
    contract,
    address,
    viewers,
    send,
    createAccount,
    accounts: account.path,
    exampleBody: (operation) => exampleOf(operation, send),
  }
}

async function exampleOf(operation: string, send: ContractService['send']): Promise<Record<string, unknown>> {
  const [method = '', path = ''] = operation.split(' ')
  const { body: document } = await send('GET', '/openapi.json')
  const { examples } = document.paths[path][method.toLowerCase()].requestBody.content['application/json']
  const [{ $ref }] = Object.values(examples) as [{ $ref: string }]
  return document.components.examples[$ref.slice($ref.lastIndexOf('/') + 1)].value
}

function sender(address: string, viewers: ContractService['viewers']): ContractService['send'] {
  return async (method, path, { viewer = 'anonymous', body, headers = {} } = {}) => {
    const token = viewers.get(viewer)
    const reply = await fetch(address + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await reply.text()
    const isJson = /[/+]json/.test(reply.headers.get('content-type') ?? '') && text !== ''
    return {
      status: reply.status,
      headers: reply.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    }
  }
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'twain-contract-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
