// The orchestra: a schema with every directive, and custom code that fails or does not end.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { AccountType } from './clients.ts'
import { type ContractService, open, temporaryFolder } from './contract-service.ts'
import { FurtherServers } from './further-servers.ts'

const account: AccountType = { path: '/musicians', input: (name) => ({ name }) }

const code = `export default {
  resolvers: {
    Score: { label: (rows) => rows.map(({ title }) => title) },
    Query: {
      longest({ unit }) {
        if (unit === 'broken') throw new Error('a detail of the server')
        return unit === 'endless' ? new Promise(() => {}) : []
      },
      secret: () => 'x',
    },
    Mutation: { stamp: () => true, choose: () => 'x' },
  },
}`

/** Its limits are small enough to be reached. */
export async function openOrchestra(t: TestContext): Promise<ContractService> {
  const folder = temporaryFolder(t)
  const schemaFile = join(folder, 'schema.graphql')
  const sdl = readFileSync(join(import.meta.dirname, 'orchestra.graphql'), 'utf8')
  writeFileSync(schemaFile, sdl)
  writeFileSync(join(folder, 'twain.config.ts'), code)
  const flags = ['--limits-cascade', '2', '--limits-code-seconds', '1']
  const service = await open(t, { schemaFile, account, flags })
  return { ...service, further: new FurtherServers(t, sdl, code, account) }
}
