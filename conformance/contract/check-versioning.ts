// Checks the sentences about versions, deprecated names and descriptions of the API.

import assert from 'node:assert/strict'
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
