// Checks the sentences about the GraphQL endpoint: its envelope, its language and its errors.

import assert from 'node:assert/strict'
import type { ContractService } from './contract-service.ts'

const typename = { query: '{ __typename }' }

export async function checkGraphqlEndpoint({ send }: ContractService): Promise<void> {
  for (const type of ['application/json', 'application/graphql-response+json']) {
    const headers = { accept: type }
    const replies = [
      await send('POST', '/graphql', { body: typename, headers }),
      await send('GET', '/graphql?query=%7B__typename%7D', { headers }),
    ]
    for (const { status, headers: got } of replies) {
      assert.deepEqual([status, got.get('content-type')?.split(';')[0]], [200, type])
    }
  }
}

export async function checkGraphqlBatch({ send }: ContractService): Promise<void> {
  const { body } = await send('POST', '/graphql', { body: [typename, typename] })
  assert.equal(body.length, 2)
}

export async function checkGraphqlErrors({ send }: ContractService): Promise<void> {
  const body = { query: '{ zzz }' }
  const plain = await send('POST', '/graphql', { body })
  assert.equal(plain.status, 200)
  const [error] = plain.body.errors
  assert.deepEqual([typeof error.message, Array.isArray(error.locations)], ['string', true])
  assert.equal(error.extensions.code, 'GRAPHQL_VALIDATION_FAILED')
  const strict = await send('POST', '/graphql', { body, headers: { accept: 'application/graphql-response+json' } })
  assert.equal(strict.status, 400)
}

export async function checkLanguage({ send }: ContractService): Promise<void> {
  const query = `query ($yes: Boolean!) {
    a: __typename @include(if: $yes) b: __typename @skip(if: $yes) ...Named ... on Query { d: __typename }
  } fragment Named on Query { c: __typename }`
  const { body } = await send('POST', '/graphql', { body: { query, variables: { yes: true } } })
  assert.deepEqual(body, { data: { a: 'Query', c: 'Query', d: 'Query' } })
}

/** A form of the GraphQL multipart request specification. Without a header that forces a preflight it is refused as a whole, before
 *  anybody asks who sent it. */
export async function checkUpload({ send }: ContractService): Promise<void> {
  const form = () => {
    const query = 'mutation ($file: Upload!) { uploadFile(file: $file) { name size } }'
    const body = new FormData()
    body.set('operations', JSON.stringify({ query, variables: { file: null } }))
    body.set('map', JSON.stringify({ 0: ['variables.file'] }))
    body.set('0', new File(['hello'], 'a.txt', { type: 'text/plain' }))
    return body
  }
  const headers = { 'apollo-require-preflight': 'true' }
  const uploaded = await send('POST', '/graphql', { viewer: 'operator', body: form(), headers })
  assert.deepEqual(uploaded.body, { data: { uploadFile: { name: 'a.txt', size: 5 } } })
  assert.equal((await send('POST', '/graphql', { body: form() })).status, 400)
  assert.equal((await send('POST', '/graphql', { body: form(), headers })).status, 401)
}

/** The second write fails, so that the first is undone. */
export async function checkTransactions({ send, further }: ContractService): Promise<void> {
  if (further === undefined) return // the writes are those of the orchestra
  const operator = { viewer: 'operator' }
  const query = `mutation @transaction {
    a: createScore(input: { title: "Trio" }) { id } b: updateScore(id: "none", title: "Trio") { id }
  }`
  const { body } = await send('POST', '/graphql', { ...operator, body: { query } })
  assert.equal(body.errors[0].extensions.code, 'NOT_FOUND')
  const batch = [
    { method: 'POST', path: '/scores', body: { title: 'Trio' } },
    { method: 'PATCH', path: '/scores/none', body: { title: 'Trio' } },
  ]
  assert.equal((await send('POST', '/batch', { ...operator, body: batch })).status, 404)
  assert.deepEqual((await send('GET', '/scores?title=Trio')).body, [])
  assert.equal((await send('POST', '/batch', { ...operator, body: batch.slice(0, 1) })).status, 200)
  assert.equal((await send('GET', '/scores?title=Trio')).body.length, 1)
}
