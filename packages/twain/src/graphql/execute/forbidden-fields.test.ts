import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forbiddenMarker, type PlanResult } from '#plan'
import { fakeGraphql } from '../blog.fixture.ts'

const rejected = JSON.stringify(forbiddenMarker.text)
const many = (text: string): PlanResult => ({ kind: 'many', text, more: false, total: null })

test('a forbidden field is null, with an error that has its path and location', async () => {
  const { run } = fakeGraphql({ answers: [many(`[{"t":${rejected}},{"t":"x"}]`)] })
  assert.deepEqual(await run('{ all: posts { t: title } }'), {
    errors: [
      {
        message: 'You may not read "title" here.',
        locations: [{ line: 1, column: 16 }],
        path: ['all', 0, 't'],
        extensions: { code: 'FORBIDDEN' },
      },
    ],
    data: { all: [{ t: null }, { t: 'x' }] },
  })
})

test('forbidden fields are reported below references, in connections and in fragments', async () => {
  const text = `{"edges":[{"node":{"author":{"name":${rejected}}}}]}`
  const { run } = fakeGraphql({ answers: [many(text)] })
  const document = `{ postsConnection { edges { node { ...p } } } }
    fragment p on Post { author { ... { name } } }`
  const { data, errors } = await run(document)
  assert.deepEqual(data, { postsConnection: { edges: [{ node: { author: { name: null } } }] } })
  assert.deepEqual(errors?.[0]?.path, ['postsConnection', 'edges', 0, 'node', 'author', 'name'])
  assert.deepEqual(errors?.[0]?.locations, [{ line: 2, column: 41 }])
})

test('forbidden fields are reported in the row of a write, and the next mutations run', async () => {
  const answer: PlanResult = { kind: 'written', text: `{"name":${rejected}}`, id: 't1', version: 1, created: true }
  const { run, executedPlans } = fakeGraphql({ answers: [answer] })
  const create = 'createTag(input: {name: "x"}) { name }'
  const { data, errors } = await run(`mutation { a: ${create} b: ${create} }`)
  assert.deepEqual(data, { a: { name: null }, b: { name: null } })
  assert.deepEqual(
    errors?.map(({ path }) => path),
    [
      ['a', 'name'],
      ['b', 'name'],
    ],
  )
  assert.equal(executedPlans.length, 2)
})

test('the first of very many errors are listed and the rest is counted', async () => {
  const { run } = fakeGraphql({ answers: [many(JSON.stringify(Array(130).fill({ title: forbiddenMarker.text })))] })
  const { errors } = await run('{ posts { title } }')
  assert.equal(errors?.length, 101)
  assert.equal(errors?.at(-1)?.message, '30 more fields may not be read.')
  assert.deepEqual(errors?.at(-1)?.path, ['posts'])
})
