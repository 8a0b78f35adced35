// Checks the sentences about `@twain/client`: where a result comes from, and what errors do.

import assert from 'node:assert/strict'
import { createClient, type ErrorPolicy, type FetchPolicy, GraphQLErrors } from '@twain/client'
import type { ContractService } from './contract-service.ts'
import { namesIn, sentenceOf } from './printed-contract.ts'

/** The requests of a query whose result is in the cache. */
const requestsByPolicy: Record<FetchPolicy, number> = {
  'cache-first': 0,
  'cache-only': 0,
  'network-only': 1,
  'no-cache': 1,
  'cache-and-network': 1,
}

export async function checkFetchPolicies({ address, accounts, contract }: ContractService): Promise<void> {
  let requests = 0
  const counting: typeof fetch = (...input) => {
    requests++
    return fetch(...input)
  }
  const client = createClient({ url: `${address}/graphql`, fetch: counting })
  const query = `query Accounts { ${accounts.slice(1)}(limit: 1) { id } }`
  const requestsOf = async (options: { fetchPolicy?: FetchPolicy }) => {
    const before = requests
    const { data } = await client.query(query, {}, options)
    assert.ok(data !== undefined)
    return requests - before
  }
  const [, ...policies] = namesIn(sentenceOf(contract, '`@twain/client`'))
  assert.deepEqual(policies, Object.keys(requestsByPolicy))
  assert.deepEqual([await requestsOf({}), await requestsOf({})], [1, 0]) // the default is cache-first
  for (const fetchPolicy of policies as FetchPolicy[]) {
    assert.equal(await requestsOf({ fetchPolicy }), requestsByPolicy[fetchPolicy], fetchPolicy)
  }
}

/** An account may not read the login of another. */
export async function checkErrorPolicies({ address, accounts, contract, viewers }: ContractService): Promise<void> {
  const list = accounts.slice(1)
  const headers = { authorization: `Bearer ${viewers.get('ann')}` }
  const client = createClient({ url: `${address}/graphql`, fetchPolicy: 'no-cache', headers })
  const ask = (errorPolicy: ErrorPolicy) =>
    client.query<Record<string, { id: string }[]>>(`query Logins { ${list} { id email } }`, {}, { errorPolicy })
  assert.deepEqual(namesIn(sentenceOf(contract, 'Client error policies')), ['none', 'ignore', 'all'])
  await assert.rejects(ask('none'), GraphQLErrors)
  const [ignored, all] = [await ask('ignore'), await ask('all')]
  assert.equal(ignored.error, undefined)
  assert.ok(all.error instanceof GraphQLErrors)
  for (const { data } of [ignored, all]) assert.ok(data![list]!.length > 1)
}
