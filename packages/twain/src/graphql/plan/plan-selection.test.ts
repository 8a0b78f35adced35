import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PageRead } from '#plan'
import { abstract, fakeGraphql, oneRow, resource, rows } from '../blog.fixture.ts'

test('over an interface or a union each member has its own selections', async () => {
  const { run, executedPlans } = fakeGraphql({ answers: [rows] })
  await run('{ nameds { name ... on User { age } ...f } } fragment f on Named { __typename }')
  const plan = executedPlans[0]?.plan as PageRead
  assert.equal(plan.of, abstract('Named'))
  assert.ok(plan.shape.kind === 'list')
  assert.deepEqual(
    plan.shape.types.map((one) => [one.of.name, one.selections.map(({ key }) => key)]),
    [
      ['User', ['name', 'age', '__typename']],
      ['Tag', ['name', '__typename']],
    ],
  )
})

test('fields with one key are merged, in values and in references', async () => {
  const { run, executedPlans } = fakeGraphql({ answers: [oneRow] })
  await run(
    '{ user(id: 1) { address { city } ...f } user(id: 1) { address { former { city } } } } fragment f on User { address { __typename } }',
  )
  assert.equal(executedPlans.length, 1)
  const address = resource('User').fields.get('address')
  assert.ok(executedPlans[0]?.plan.kind === 'one' && address?.kind === 'stored' && address.type.kind === 'value')
  const { fields } = address.type.value
  assert.deepEqual(executedPlans[0].plan.selections, [
    {
      kind: 'value',
      key: 'address',
      field: address,
      selections: [
        { kind: 'field', key: 'city', field: fields.get('city'), selections: null },
        { kind: 'constant', key: '__typename', value: 'Address' },
        {
          kind: 'field',
          key: 'former',
          field: fields.get('former'),
          selections: [{ kind: 'field', key: 'city', field: fields.get('city'), selections: null }],
        },
      ],
    },
  ])
  assert.deepEqual(executedPlans[0].values, ['1'])
})
