// No update is lost: in each round many clients update the same row, each with the version that it has read, by `If-Match` or
// `ifVersion`, through any node. One of them wins, all others are refused because the version changed, and the row is what the winner
// wrote.

import assert from 'node:assert/strict'
import type { ChangingService } from '../harness/changing-service.ts'

export const sdl = 'type Note @allow { id: ID! text: String! }'

/** Returns the number of refused updates. */
export async function runLostUpdates(
  nodes: readonly ChangingService[],
  { rounds, clients }: { rounds: number; clients: number },
): Promise<number> {
  const first = nodes[0]!
  const { id } = (await first.rest('POST', '/notes', { text: 'new' })).body as { id: string }
  let refused = 0
  for (let round = 1; round <= rounds; round++) {
    const texts = Array.from({ length: clients }, (_, client) => `${round}.${client}`)
    const tried = texts.map((text, client) => {
      const node = nodes[client % nodes.length]!
      return (client + round) % 3 === 0 ? byGraphql(node, id, round, text) : byRest(node, id, round, text)
    })
    const won = (await Promise.all(tried)).flatMap((isWon, client) => (isWon ? [texts[client]] : []))
    assert.equal(won.length, 1, `round ${round}: ${won.length} won`)
    refused += clients - 1
    const { body, headers } = await nodes[round % nodes.length]!.rest('GET', `/notes/${id}`)
    assert.equal((body as { text: string }).text, won[0], `round ${round}`)
    assert.match(String(headers.etag), new RegExp(`^"${round + 1}-`), `round ${round}`)
  }
  return refused
}

async function byRest(node: ChangingService, id: string, version: number, text: string): Promise<boolean> {
  const { status, body } = await node.rest('PATCH', `/notes/${id}`, { text }, { 'if-match': `"${version}"` })
  assert.ok(status === 200 || status === 412, JSON.stringify(body))
  return status === 200
}

const mutation = `mutation ($id: ID!, $version: Int!, $text: String!) {
  updateNote(id: $id, ifVersion: $version, text: $text) { id }
}`

async function byGraphql(node: ChangingService, id: string, version: number, text: string): Promise<boolean> {
  const { errors } = await node.graphqlAnswer(mutation, { id, version, text })
  if (errors.length === 0) return true
  assert.equal(errors[0]?.extensions?.code, 'PRECONDITION_FAILED', JSON.stringify(errors))
  return false
}
