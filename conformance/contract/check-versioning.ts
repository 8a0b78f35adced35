// Checks the sentences about versions, deprecated names and descriptions of the API.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { command } from '../../packages/twain/src/cli/command.fixture.ts'
import type { ContractService } from './contract-service.ts'
import { restLines } from './printed-contract.ts'
import { readable } from './readable.ts'

/** Each field of the table: the answer to a request that selects it has the headers. */
export async function checkDeprecated({ send, contract, viewers }: ContractService): Promise<void> {
  const types = new Map(
    contract
      .table('Method', 'Path', 'Purpose', 'Parameters and body', 'Success', 'Without a token')
      .flatMap(([method, path = '', purpose = '']) => {
        const [, name] = /^Create a (\w+)$/.exec(purpose) ?? []
        return method === 'POST' && name !== undefined && /^`\/[a-z-]+`$/.test(path)
          ? [[name, path.replaceAll('`', '')] as const]
          : []
      }),
  )
  for (const [name = '', reason = ''] of contract.table('Deprecated', 'Reason')) {
    const [type = '', field = ''] = name.replaceAll('`', '').split('.')
    const path = types.get(type)
    if (path === undefined || field === '') continue
    for (const viewer of viewers.keys()) {
      const { headers, status } = await send('GET', `${path}?fields=${field}`, { viewer })
      if (status !== 200) continue
      assert.ok(headers.has('deprecation'), name)
      assert.match(headers.get('link') ?? '', /rel="deprecation"/)
      assert.equal(headers.has('sunset'), /\d{4}-\d\d-\d\d/.test(reason), name)
    }
  }
}

export async function checkVersions(service: ContractService): Promise<void> {
  const { path, viewer, id } = await readable(service)
  const { headers } = await service.send('GET', `${path}/${id}`, { viewer })
  assert.match(headers.get('etag') ?? '', /^(W\/)?"\d+/)
}

/** The lines of the table of REST paths check the redirects; this the names in GraphQL. */
export async function checkRenamed({ send, contract }: ContractService): Promise<void> {
  const query = '{ __schema { types { name fields(includeDeprecated: true) { name isDeprecated } } } }'
  const { body } = await send('POST', '/graphql', { body: { query } })
  const types: { name: string; fields: { name: string; isDeprecated: boolean }[] | null }[] = body.data.__schema.types
  for (const [name = '', reason] of contract.table('Deprecated', 'Reason')) {
    const [type, field] = name.replaceAll('`', '').split('.')
    const fields = types.find((one) => one.name === type)?.fields ?? []
    const found = fields.find((one) => one.name === field)
    if (reason === 'It has another name now.' && fields.length > 0) assert.equal(found?.isDeprecated, true, name)
  }
}

export async function checkDescriptions({ send }: ContractService): Promise<void> {
  for (const path of ['/openapi.json', '/docs']) assert.equal((await send('GET', path)).status, 200, path)
}

export async function checkNoVersions({ contract, send }: ContractService): Promise<void> {
  for (const { path } of restLines(contract)) assert.doesNotMatch(path, /\/v\d/)
  const { headers } = await send('GET', '/openapi.json')
  for (const name of headers.keys()) assert.doesNotMatch(name, /version/)
}

/** The server keeps the schema that its clients know, and `twain check --against` names what would break them. */
export async function checkAdditive({ further }: ContractService): Promise<void> {
  if (further === undefined) return
  const { service, send } = await further.withStoppedClock()
  const sdl = readFileSync(service.schemaFile, 'utf8')
  const before = `${service.schemaFile}.before`
  writeFileSync(before, sdl)
  const changes: [breaking: boolean, field: string, changed: string][] = [
    [true, 'Score.pages', sdl.replace('pages: Int @cost(weight: 2)', '')],
    [true, 'Safe.place', sdl.replace('code: String!', 'code: String! place: String!')],
    [false, 'Safe.place', sdl.replace('code: String!', 'code: String! place: String')],
  ]
  for (const [isBreaking, field, changed] of changes) {
    writeFileSync(service.schemaFile, changed)
    const checked = await command('check', service.schemaFile, '--against', before)
    assert.equal(checked.code, isBreaking ? 1 : 0, checked.out + checked.err)
    assert.ok((checked.out + checked.err).includes(field), checked.out + checked.err)
    const reloaded = await service.service.reload()
    assert.equal(reloaded.kind, isBreaking ? 'rejected' : 'swapped')
    if (reloaded.kind === 'rejected') assert.ok(String((reloaded.reason as Error).message).includes(field))
  }
  assert.equal((await send('GET', '/scores?fields=pages')).status, 200)
}
