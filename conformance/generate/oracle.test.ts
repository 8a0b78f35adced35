// stores: none

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Oracle, type SchemaSketch } from './oracle.ts'

const sketch: SchemaSketch = {
  common: null,
  enums: [],
  values: [{ name: 'Size', fields: [{ name: 'width', type: 'Int', required: false }] }],
  types: [
    {
      name: 'Crate',
      list: 'crates',
      fields: [
        { kind: 'scalar', name: 'price', type: 'Decimal', required: false },
        { kind: 'value', name: 'size', type: 'Size', required: false },
        { kind: 'reference', name: 'inside', to: 'Crate', required: false },
        { kind: 'many', name: 'holds', to: 'Crate', via: 'inside' },
      ],
    },
  ],
}

function crates(): Oracle {
  const oracle = new Oracle(sketch)
  oracle.put('Crate', { id: 'a', price: '10', size: { width: 3 }, inside: null })
  oracle.put('Crate', { id: 'b', price: '9.5', size: { width: null }, inside: 'a' })
  oracle.put('Crate', { id: 'c', price: null, size: null, inside: 'a' })
  return oracle
}

const found = (where: Record<string, unknown> | null, order: Record<string, 'ASC' | 'DESC'>[] = []) =>
  crates()
    .find('Crate', where, order)
    .map(({ id }) => id)
    .join('')

test('ne, notIn and not keep rows where the field is null', () => {
  assert.equal(found({ price: { ne: '10.0' } }), 'bc')
  assert.equal(found({ price: { notIn: ['10'] } }), 'bc')
  assert.equal(found({ not: { price: { lt: '100' } } }), 'c')
  assert.equal(found({ size: { width: { ne: 3 } } }), 'bc')
})

test('nulls are last in both directions, and the id sorts in the direction of the key before it', () => {
  assert.equal(found(null, [{ price: 'ASC' }]), 'bac')
  assert.equal(found(null, [{ price: 'DESC' }]), 'abc')
  assert.equal(found({ inside: { id: { eq: 'a' } } }, [{ inside: 'DESC' }]), 'cb')
})

test('filters go through references and lists', () => {
  assert.equal(found({ inside: { price: { eq: '10' } } }), 'bc')
  assert.equal(found({ holds: { some: { price: { isNull: true } } } }), 'a')
  assert.equal(found({ holds: { none: { price: { isNull: true } } } }), 'bc')
})

test('a removed row leaves nulls behind', () => {
  const oracle = crates()
  assert.equal(oracle.remove('Crate', 'a'), true)
  assert.deepEqual(
    oracle.rows('Crate').map(({ inside }) => inside),
    [null, null],
  )
})
