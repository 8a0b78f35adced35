// Popular GraphQL clients against a server on a port: the server accepts their requests, and they understand its answers. The
// compiler checks the document types of gql.tada.
// stores: sqlite

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ApolloClient, ApolloLink, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { BatchHttpLink } from '@apollo/client/link/batch-http'
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries'
import { createClient, GraphQLErrors } from '@twain/client'
import { Client, cacheExchange, fetchExchange } from '@urql/core'
import { initGraphQLTada } from 'gql.tada'
import { buildSchema, introspectionFromSchema } from 'graphql'
import { ClientError, GraphQLClient } from 'graphql-request'
import { printSchema } from '../../packages/twain/src/graphql/index.ts'
import { loadModel } from '../../packages/twain/src/model/index.ts'
import { ServerProcess } from '../harness/server-process.ts'
import type { introspection } from './clients-types.d.ts'

const schemaFile = join(import.meta.dirname, 'clients.graphql')
const typesFile = join(import.meta.dirname, 'clients-types.d.ts')

const graphql = initGraphQLTada<{ introspection: introspection; scalars: { DateTime: string } }>()

const create = graphql('mutation ($input: CreateBookInput!) { createBook(input: $input) { id title _version } }')
const list = graphql('query Books($n: Int!) { books(limit: $n, orderBy: [{title: ASC}]) { id title author { name } } }')
const wrong = { title: 'x'.repeat(50) }

describe('real clients', () => {
  let folder: string
  let server: ServerProcess
  let url: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'twain-clients-'))
    server = await ServerProcess.start(schemaFile, join(folder, 'data'))
    url = `${server.address}/graphql`
    const fill = new GraphQLClient(url)
    await fill.request(create, { input: { title: 'Emma' } })
  })
  after(async () => {
    await server.stop()
    await rm(folder, { recursive: true })
  })

  test('Apollo Client reads, writes, normalizes, and distinguishes GraphQL errors from others', async () => {
    const client = new ApolloClient({ link: new HttpLink({ uri: url }), cache: new InMemoryCache() })
    const { data: before } = await client.query({ query: list, variables: { n: 1 } })
    const [book] = before!.books
    assert.equal(book?.title, 'Emma')
    const rename = graphql('mutation ($id: ID!, $t: String) { updateBook(id: $id, title: $t) { id title } }')
    await client.mutate({ mutation: rename, variables: { id: book!.id, t: 'Emma, again' } })
    // The cache identifies the row by type and id, so the list that was read is updated without a request.
    const cached = client.readQuery({ query: list, variables: { n: 1 } })
    assert.equal(cached?.books[0]?.title, 'Emma, again')
    await client.mutate({ mutation: rename, variables: { id: book!.id, t: 'Emma' } })

    await assert.rejects(client.mutate({ mutation: create, variables: { input: wrong } }), (error) => {
      assert.ok(CombinedGraphQLErrors.is(error))
      assert.equal(error.errors[0]?.extensions?.code, 'VALIDATION_FAILED')
      return true
    })
    const unknown = gql('{ nothing }')
    await assert.rejects(client.query({ query: unknown }), (error) => CombinedGraphQLErrors.is(error))
  })

  test('Apollo Client with persisted queries sends a document once, and then uses GET', async () => {
    const persisted = new PersistedQueryLink({
      sha256: (text) => hash('sha256', text, 'hex'),
      useGETForHashedQueries: true,
    })
    const requests: string[] = []
    const watched: typeof fetch = (input, init) => {
      requests.push(`${init?.method ?? 'GET'} ${String(init?.body ?? '').includes('query Books') ? 'text' : 'hash'}`)
      return fetch(input, init)
    }
    const client = new ApolloClient({
      link: ApolloLink.from([persisted, new HttpLink({ uri: url, fetch: watched })]),
      cache: new InMemoryCache(),
    })
    const query = gql('query Books { books(limit: 1) { id } }')
    for (let again = 0; again < 2; again++) {
      const { data } = await client.query<{ books: unknown[] }>({ query, fetchPolicy: 'no-cache' })
      assert.equal(data?.books.length, 1)
    }
    assert.deepEqual(requests, ['GET hash', 'POST text', 'GET hash'])
  })

  test('Apollo Client batches concurrent queries, and each gets its own answer', async () => {
    let requests = 0
    const counted: typeof fetch = (input, init) => {
      requests++
      return fetch(input, init)
    }
    const link = new BatchHttpLink({ uri: url, batchMax: 10, batchInterval: 10, fetch: counted })
    const client = new ApolloClient({ link, cache: new InMemoryCache() })
    const [books, failed, authors] = await Promise.allSettled([
      client.query({ query: gql('{ books { title } }') }),
      client.mutate({ mutation: create, variables: { input: wrong } }),
      client.query({ query: gql('{ authors { name } }') }),
    ])
    assert.deepEqual([books.status, failed.status, authors.status], ['fulfilled', 'rejected', 'fulfilled'])
    assert.equal(requests, 1)
  })

  test('urql reads and writes, with GET too, and has errors with their codes', async () => {
    for (const preferGetMethod of ['force', false] as const) {
      const client = new Client({ url, exchanges: [cacheExchange, fetchExchange], preferGetMethod })
      const { data, error } = await client.query(list, { n: 1 })
      assert.equal(error, undefined)
      assert.equal(data?.books[0]?.title, 'Emma')
      const refused = await client.mutation(create, { input: wrong })
      assert.equal(refused.error?.graphQLErrors[0]?.extensions.code, 'VALIDATION_FAILED')
      assert.equal(refused.error?.networkError, undefined)
    }
  })

  test('graphql-request reads and writes, batches, and throws with the answer', async () => {
    const client = new GraphQLClient(url)
    assert.equal((await client.request(list, { n: 1 })).books[0]?.title, 'Emma')
    const answers = await client.batchRequests([
      { document: '{ books { title } }' },
      { document: '{ authors { name } }' },
    ])
    assert.deepEqual(
      answers.map(({ data }) => data),
      [{ books: [{ title: 'Emma' }] }, { authors: [] }],
    )
    await assert.rejects(client.request(create, { input: wrong }), (error) => {
      assert.ok(error instanceof ClientError)
      assert.equal(error.response.errors?.[0]?.extensions.code, 'VALIDATION_FAILED')
      return true
    })
  })

  test('gql.tada knows the types of documents from the schema', async () => {
    const { books } = await new GraphQLClient(url).request(list, { n: 1 })
    const title: string | undefined = books[0]?.title
    const author: string | null | undefined = books[0]?.author?.name
    assert.deepEqual([title, author], ['Emma', undefined])
    // @ts-expect-error: a book has no such field, and the compiler knows it
    assert.equal(books[0]?.pages, undefined)
    // @ts-expect-error: the variable is an Int
    await assert.rejects(new GraphQLClient(url).request(list, { n: 'one' }))
  })

  test('the types of gql.tada work with our own client', async () => {
    const client = createClient({ url })
    const { data } = await client.query(list, { n: 1 })
    const title: string | undefined = data?.books[0]?.title
    assert.equal(title, 'Emma')
    // @ts-expect-error: a book has no such field, and the compiler knows it
    assert.equal(data?.books[0]?.pages, undefined)
    // @ts-expect-error: the variable is an Int
    await assert.rejects(client.query(list, { n: 'one' }))
  })

  test('the data of a mutation is typed by the error policy: a failed field is null, but not under `none`', async () => {
    const two = graphql(
      'mutation ($a: CreateBookInput!, $b: CreateBookInput!) { a: createBook(input: $a) { title } b: createBook(input: $b) { title } }',
    )
    const variables = { a: { title: 'Told' }, b: wrong }
    const client = createClient({ url })
    const { data: whole } = await client.mutate(two, { a: { title: 'One' }, b: { title: 'Two' } })
    const titles: (string | undefined)[] = [whole?.a.title, whole?.b.title]
    assert.deepEqual(titles, ['One', 'Two'])
    await assert.rejects(client.mutate(two, variables), (error) => {
      assert.ok(error instanceof GraphQLErrors)
      assert.deepEqual(error.data, { a: { title: 'Told', __typename: 'Book' }, b: null })
      return true
    })
    const { data, error } = await client.mutate(two, variables, { errorPolicy: 'all' })
    // @ts-expect-error: it may be null
    assert.throws(() => data?.b.title)
    assert.deepEqual([data?.a?.title, error instanceof GraphQLErrors], ['Told', true])
    const lenient = createClient({ url, errorPolicy: 'ignore' })
    const { data: rest } = await lenient.mutate(two, variables)
    // @ts-expect-error: the policy of the client counts too
    assert.throws(() => rest?.b.title)
    assert.equal(rest?.a?.title, 'Told')
  })

  test('the types that gql.tada reads are those of the served schema', async () => {
    const schema = buildSchema(printSchema(loadModel(await readFile(schemaFile, 'utf8'), 'clients.graphql')))
    const types = `export type introspection = ${JSON.stringify(introspectionFromSchema(schema, { descriptions: false }))}\n`
    if (process.env.WRITE_TYPES) await writeFile(typesFile, types)
    assert.equal(await readFile(typesFile, 'utf8'), types)
  })
})
