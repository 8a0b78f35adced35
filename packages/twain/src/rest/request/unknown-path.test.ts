import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { unknownPath } from './unknown-path.ts'

const club = loadModel(
  `type Member { id: ID! }
  extend type Query { nextMeeting: String }
  extend type Mutation { verifyEmail(code: String!): Boolean! invite: Boolean! @resource(path: "invitations") }`,
  'club.graphql',
)
const isServed = (path: string) => path === '/changes' || path === '/docs'

test('a 404 names the collection, custom operation or system path that the client may have meant', () => {
  const suggestions: [path: string, meant: string][] = [
    ['/member', '/members'],
    ['/next-meting', '/next-meeting'],
    ['/verify-email', 'POST /verify-email-requests'],
    ['/verify-email-request', 'POST /verify-email-requests'],
    ['/invite', 'POST /invitations'],
    ['/invitation/x', 'POST /invitations'],
    ['/change', '/changes'],
    ['/grapql', '/graphql'],
  ]
  for (const [path, meant] of suggestions) {
    const { message } = unknownPath(path, path.split('/')[1]!, club, isServed)
    assert.equal(message, `There is nothing at ${path}. Did you mean ${meant}?`)
  }
})

test('without a guess it lists the collections and the custom operations', () => {
  const { message, hint } = unknownPath('/somewhere', 'somewhere', club, isServed)
  assert.equal(message, 'There is nothing at /somewhere.')
  assert.equal(
    hint,
    'The collections are /members. The custom operations are /next-meeting, POST /verify-email-requests, POST /invitations.',
  )
  assert.doesNotMatch(unknownPath('/token', 'token', club, isServed).message, /mean/)
})
