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
