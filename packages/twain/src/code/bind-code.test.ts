import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { bindCode, CodeRejected } from './bind-code.ts'

const model = loadModel(
  'type Post { id: ID! body: String words: Int @computed(from: ["body"]) size: Int @computed }',
  'a.graphql',
)

test('each computed field is bound to its resolver', () => {
  const words = () => []
  const { computed } = bindCode({ limits: { depth: 3 }, resolvers: { Post: { words, size: () => [] } } }, model)
  assert.equal(computed.get(model.resources[0]!.computed.get('words')!), words)
})

test('all missing resolvers are reported at once, with the code to write', () => {
  assert.throws(
    () => bindCode(null, model),
    (error: unknown) => {
      assert.ok(error instanceof CodeRejected)
      assert.equal(error.mistakes.length, 2)
      assert.match(
        error.mistakes[0]!,
        /Post\.words is answered by custom code, and twain\.config\.ts has no resolver for it/,
      )
      assert.match(error.mistakes[0]!, /words: \(rows\) => rows\.map\(\(row\) => row\.body\)/)
      return true
    },
  )
})

test('code that is never called is a mistake', () => {
  const all = { words: () => [], size: 3, body: () => [], word: () => [] }
  assert.throws(() => bindCode({ resolvers: { Post: all, Pots: {}, Other: 1 } }, model), {
    mistakes: [
      'twain.config.ts: resolvers.Post.body: Post.body is not computed. Write @computed behind it in the schema, or remove this.',
      'twain.config.ts: resolvers.Post.word: Post has no computed field word. Did you mean "words"?',
      'twain.config.ts: resolvers.Pots: there is no resource Pots. Did you mean "Post"?',
      'twain.config.ts: resolvers.Other: there is no resource Other.',
      'twain.config.ts: resolvers.Post.size must be a function.',
    ],
  })
})

test('hooks are bound by type, and a hook of an unknown type is a mistake', () => {
  const hook = () => {}
  const resolvers = { Post: { words: () => [], size: () => [] } }
  const { before, after, on } = bindCode({ resolvers, before: { Post: hook }, on: { Post: hook } }, model)
  assert.deepEqual([before.get('Post'), after.size, on.get('Post')], [hook, 0, hook])
  assert.throws(() => bindCode({ resolvers, before: { Pots: hook }, after: { Post: 1 }, on: [] }, model), {
    mistakes: [
      'twain.config.ts: before.Pots: there is no resource Pots. Did you mean "Post"?',
      'twain.config.ts: after.Post must be a function.',
      'twain.config.ts: on must be an object.',
    ],
  })
})

test('a custom subscription needs an object with subscribe', () => {
  const file = 'type Post { id: ID! } extend type Subscription { moved(of: ID!): Post ticks: Int }'
  const subscribed = loadModel(file, 'a.graphql')
  const moved = { async *subscribe() {} }
  const { subscriptions, operations } = bindCode({ resolvers: { Subscription: { moved, ticks: moved } } }, subscribed)
  assert.deepEqual([subscriptions.size, operations.size, subscriptions.get(subscribed.operations[0]!)], [2, 0, moved])
  assert.throws(
    () => bindCode({ resolvers: { Subscription: { ticks: () => [], tocks: moved } } }, subscribed),
    (error: unknown) => {
      assert.ok(error instanceof CodeRejected)
      const [other, missing, wrong] = error.mistakes
      assert.match(
        other!,
        /resolvers\.Subscription\.tocks: the schema declares no Subscription\.tocks\. Did you mean "ticks"/,
      )
      assert.match(missing!, /moved: \{\n\s+async \*subscribe\(\{ of \}, \{ read, signal \}\) \{/)
      assert.match(wrong!, /resolvers\.Subscription\.ticks must be an object with a function subscribe/)
      return true
    },
  )
})
