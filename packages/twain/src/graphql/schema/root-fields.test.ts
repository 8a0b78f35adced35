import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { rootFieldsOf } from './root-fields.ts'

test('a resource has five queries and four mutations, an interface or a union four queries', () => {
  const model = loadModel(
    'type LoanRequest @resource(path: "loans") { id: ID! } type Book { id: ID! } union Thing = LoanRequest | Book',
    'x.graphql',
  )
  const { query, mutation } = rootFieldsOf(model)
  assert.deepEqual(
    [...query].map(([name, { kind, of }]) => `${name} ${kind} ${of.name}`).filter((socket) => !socket.endsWith('Book')),
    [
      'loanRequest one LoanRequest',
      'loans list LoanRequest',
      'loansConnection connection LoanRequest',
      'loansAggregate aggregate LoanRequest',
      'loansGroupBy groups LoanRequest',
      'backgroundJob one BackgroundJob',
      'backgroundJobs list BackgroundJob',
      'backgroundJobsConnection connection BackgroundJob',
      'apiKey one ApiKey',
      'apiKeys list ApiKey',
      'apiKeysConnection connection ApiKey',
      'webhook one Webhook',
      'webhooks list Webhook',
      'webhooksConnection connection Webhook',
      'webhookDelivery one WebhookDelivery',
      'webhookDeliveries list WebhookDelivery',
      'webhookDeliveriesConnection connection WebhookDelivery',
      'things list Thing',
      'thingsConnection connection Thing',
      'thingsAggregate aggregate Thing',
      'thingsGroupBy groups Thing',
    ],
  )
  assert.deepEqual(
    [...mutation.keys()].filter((name) => name.endsWith('LoanRequest')),
    ['createLoanRequest', 'replaceLoanRequest', 'updateLoanRequest', 'deleteLoanRequest', 'createEachLoanRequest'],
  )
})

test('a previous path is a previous name of the list, unless something else has the name', () => {
  const model = loadModel(
    'type Post @resource(path: "articles", was: ["posts", "note"]) { id: ID! } type Note { id: ID! }',
    'x.graphql',
  )
  const { query, mutation } = rootFieldsOf(model)
  assert.deepEqual(
    [...query, ...mutation]
      .filter(([, { aliasOf: now }]) => now !== undefined)
      .map(([name, { aliasOf: now }]) => `${name} → ${now}`),
    [
      'posts → articles',
      'postsConnection → articlesConnection',
      'postsAggregate → articlesAggregate',
      'postsGroupBy → articlesGroupBy',
      'noteConnection → articlesConnection',
      'noteAggregate → articlesAggregate',
      'noteGroupBy → articlesGroupBy',
      'createPosts → createArticles',
      'deletePosts → deleteArticles',
    ],
  )
  assert.equal(query.get('note')?.kind, 'one')
})

test('only a model with accounts has tokens', () => {
  const tokens = (sdl: string) => {
    const { query, mutation, signIn } = rootFieldsOf(loadModel(sdl, 'x.graphql'))
    return [...query.keys(), ...mutation.keys(), signIn].filter((name) => name !== null && /token/i.test(name))
  }
  assert.deepEqual(tokens('type User { id: ID! }'), [])
  assert.deepEqual(tokens('type User @account { id: ID! email: String! @unique }'), [
    'token',
    'tokens',
    'tokensConnection',
    'deleteToken',
    'createToken',
  ])
})
