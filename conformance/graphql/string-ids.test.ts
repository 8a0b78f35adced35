// A variable of the type String is accepted for an id, in queries, mutations, subscriptions and lists; introspection says ID.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestService } from '../harness/test-service.ts'

const sdl = `
  type Channel @allow { id: ID! name: String! messages: [Message!]! fans: [Fan!]! }
  type Message @allow { id: ID! text: String! channel: Channel! }
  type Fan @allow { id: ID! name: String! channels: [Channel!]! }
`

describe('String variables for ids', () => {
  const closing: (() => unknown)[] = []
  let service: TestService
  let channel: string
  before(async () => {
    service = await TestService.open({ after: (close) => closing.push(close as () => unknown) }, sdl)
    channel = (await service.succeed('POST', '/channels', { name: 'general' })).id
    await service.succeed('POST', '/messages', { text: 'hello', channel })
  })
  after(async () => {
    for (const close of closing) await close()
  })
  const graphql = async (query: string, variables: object) =>
    (await service.succeed('POST', '/graphql', { query, variables })) as {
      data: Record<string, unknown>
      errors?: unknown
    }

  test('queries take them: by id, in filters, in lists', async () => {
    const found = [
      await graphql('query ($c: String!) { channel(id: $c) { name } }', { c: channel }),
      await graphql('query ($c: String) { messages(where: {channel: {id: {eq: $c}}}) { text } }', { c: channel }),
      await graphql('query ($c: [String!]) { channels(where: {id: {in: $c}}) { name } }', { c: [channel] }),
    ]
    assert.deepEqual(
      found.map(({ data }) => data),
      [{ channel: { name: 'general' } }, { messages: [{ text: 'hello' }] }, { channels: [{ name: 'general' }] }],
    )
  })

  test('mutations take them: as id, in an input, in a list of an input', async () => {
    const { data } = await graphql(
      `mutation ($c: String!, $all: [String!]!) {
        createMessage(input: {text: "new", channel: $c}) { channel { id } }
        createFan(input: {name: "ann", channels: $all}) { channels { id } }
        updateChannel(id: $c, name: "renamed") { name }
      }`,
      { c: channel, all: [channel] },
    )
    assert.deepEqual(data, {
      createMessage: { channel: { id: channel } },
      createFan: { channels: [{ id: channel }] },
      updateChannel: { name: 'renamed' },
    })
  })

  test('a subscription takes one as its channel', async () => {
    const query = 'subscription ($c: String!) { messageCreated(channel: $c) { text } }'
    const ending = new AbortController()
    const reply = await fetch(`${service.address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query, variables: { c: channel } }),
      signal: ending.signal,
    })
    assert.equal(reply.status, 200)
    const other = await service.succeed('POST', '/channels', { name: 'other' })
    await service.succeed('POST', '/messages', { text: 'elsewhere', channel: other.id })
    await service.succeed('POST', '/messages', { text: 'live', channel })
    let text = ''
    for await (const part of reply.body!.pipeThrough(new TextDecoderStream())) {
      text += part
      if (text.includes('live')) break
    }
    ending.abort()
    assert.match(text, /"messageCreated":\{"text":"live"\}/)
    assert.doesNotMatch(text, /elsewhere/)
  })

  test('introspection says ID, and other types are refused as before', async () => {
    const { data } = await graphql(
      '{ __type(name: "Query") { fields { name args { name type { ofType { name } } } } } }',
      {},
    )
    const fields = (data.__type as { fields: { name: string; args: unknown[] }[] }).fields
    assert.deepEqual(fields.find(({ name }) => name === 'channel')!.args, [
      { name: 'id', type: { ofType: { name: 'ID' } } },
    ])
    for (const type of ['Int!', 'String', 'Boolean!']) {
      const query = `query ($c: ${type}) { channel(id: $c) { name } }`
      const { body } = await service.send('POST', '/graphql', { query, variables: { c: null } })
      assert.match(JSON.stringify(body), /used in position expecting type \\"ID!\\"/)
    }
    const number = await service.send('POST', '/graphql', {
      query: 'query ($c: String!) { channel(id: $c) { name } }',
      variables: { c: 5 },
    })
    assert.match(JSON.stringify(number.body), /VALIDATION_FAILED/)
  })
})
