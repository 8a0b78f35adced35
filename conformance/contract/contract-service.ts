// A running service, its printed contract, and viewers who send requests to it.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { ServerProcess } from '../harness/server-process.ts'
import { type AccountType, type Clients, clientsOf, printed, type Reply } from './clients.ts'
import type { FurtherServers } from './further-servers.ts'
import { type PrintedContract, readContract } from './printed-contract.ts'

const root = join(import.meta.dirname, '../..')

export interface ContractService extends Clients {
  contract: PrintedContract
  /** The folder of its data. */
  data: string
  /** Closes what a check opens. */
  t: Pick<TestContext, 'after'>
  /** The path of the accounts. */
  accounts: string
  /** The body of the example of an operation in the OpenAPI document: `PUT /users/{id}`. */
  exampleBody(operation: string): Promise<Record<string, unknown>>
  /** Further servers of the orchestra. What they show is the same for every schema, so that other services have none. */
  further?: FurtherServers
}

interface Opened {
  schemaFile: string
  seed?: string
  account: AccountType
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

export async function open(
  t: TestContext,
  { schemaFile, seed, account, flags = [] }: Opened,
): Promise<ContractService> {
  const data = join(temporaryFolder(t), 'data')
  const contract = readContract(await printed('print', schemaFile, '--contract', ...quota, ...flags))
  const more = seed === undefined ? [] : ['--seed', seed]
  const server = await ServerProcess.start(schemaFile, data, more, [...quota, ...flags])
  t.after(() => server.stop())
  const operator = await printed('token', '--role', 'admin', '--data', data)
  const clients = clientsOf(server.address, account, operator)
  await clients.createAccount('ann')
  let document: Promise<Reply> | null = null
  return {
    ...clients,
    contract,
    data,
    t,
    accounts: account.path,
    async exampleBody(operation) {
      document ??= clients.send('GET', '/openapi.json?profile=full')
      return exampleOf(operation, (await document).body)
    },
  }
}

function exampleOf(operation: string, document: Reply['body']): Record<string, unknown> {
  const [method = '', path = ''] = operation.split(' ')
  const { examples } = document.paths[path][method.toLowerCase()].requestBody.content['application/json']
  const [{ $ref }] = Object.values(examples) as [{ $ref: string }]
  return document.components.examples[$ref.slice($ref.lastIndexOf('/') + 1)].value
}

export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'twain-contract-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
