import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type DocumentNode, getIntrospectionQuery, Kind, parse, type SelectionSetNode } from 'graphql'
import { ApiError } from '#base'
import { startCpuTimer } from '#cpu-time'
import { loadModel } from '#model'
import { defaultLimits } from '#plan'
import { blog } from '../blog.fixture.ts'
import { buildApiSchema } from '../schema/build-schema.ts'
import { measureDocument } from './document-cost.ts'
import { checkDocumentLimits } from './document-limits.ts'
import { RequestErrors, type ResponseError } from './response-errors.ts'

const { schema } = buildApiSchema(blog)
const measure = (text: string) => dearest(parse(text))

/** The highest depth and cost of a document's operations. */
function dearest(document: DocumentNode, of = schema) {
  const operations = [...measureDocument(document, of).operations.values()]
  return {
    depth: Math.max(...operations.map(({ depth }) => depth)),
    cost: Math.max(...operations.map(({ cost }) => cost)),
  }
}

test('depth counts nested selection sets, but neither leaves nor the fields of a connection', () => {
  const depths = {
    '{ __typename }': 0,
    '{ post(id: 1) { id } }': 1,
    '{ posts { author { name } } }': 2,
    '{ postsConnection { edges { node { author { name } } } pageInfo { endCursor } } }': 2,
    '{ posts { ... on Post { ...f } } } fragment f on Post { author { address { city } } }': 3,
  }
  for (const [text, depth] of Object.entries(depths)) assert.equal(measure(text).depth, depth, text)
})

test('a field of the model with the name of a connection field counts', () => {
  const model = loadModel(
    'type RailEdge { id: ID! node: Stop! } type Stop { id: ID! edges: [RailEdge!]! }',
    'x.graphql',
  )
  const document = parse('{ stops { edges { node { id } } } }')
  assert.equal(dearest(document, buildApiSchema(model).schema).depth, 3)
})

test('a scalar costs 1, an object 2, and a list multiplies its field and all below by 10', () => {
  const costs = {
    '{ post(id: 1) { id title } }': 2 + 2,
    '{ posts { id } }': 10 * (2 + 1),
    '{ post(id: 1) { labels } }': 2 + 10,
    '{ posts { comments { id } } }': 10 * (2 + 10 * (2 + 1)),
    '{ postsConnection { totalCount edges { cursor node { id } } } }': 2 + 1 + 10 * (2 + 1 + (2 + 1)),
    '{ a: post(id: 1) { id } b: post(id: 1) { id } }': 6,
    '{ post(id: 1) { nothing { at all } } }': 2 + (2 + 1 + 1),
    '{ ...f } fragment f on Nothing { at { all } }': 2 + 1,
  }
  for (const [text, cost] of Object.entries(costs)) assert.equal(measure(text).cost, cost, text)
})

test('the most expensive of several operations counts', () => {
  assert.equal(measure('query a { posts { id } } query b { post(id: 1) { id } }').cost, 30)
})

test('introspection is limited to one __schema, few __type and 15 levels only', () => {
  const rejected = (text: string) => {
    try {
      checkDocumentLimits(parse(text), schema, { ...defaultLimits, depth: 1, cost: 2 })
    } catch (error) {
      return codeOf(error)
    }
    return null
  }
  const levels = (count: number) =>
    `{ __type(name: "Post") { ${'ofType {'.repeat(count - 1)} name ${'}'.repeat(count)} }`
  assert.equal(rejected('{ __schema { types { fields { type { ofType { name } } } } } }'), null)
  assert.equal(rejected('{ a: __schema { types { name } } b: __schema { types { name } } }'), 'QUERY_TOO_COSTLY')
  assert.equal(
    rejected('{ ...s ...t } fragment s on Query { __schema { types { name } } } fragment t on Query { ...s }'),
    'QUERY_TOO_COSTLY',
  )
  assert.equal(rejected(levels(15)), null)
  assert.equal(rejected(levels(16)), 'QUERY_TOO_DEEP')
  assert.equal(
    rejected(`{ ${Array.from({ length: 11 }, (_, i) => `t${i}: __type(name: "Post") { name }`).join(' ')} }`),
    'QUERY_TOO_COSTLY',
  )
})

test('introspection that multiplies through aliases is rejected, and that of common tools is not', () => {
  const aliases = (field: string) => Array.from({ length: 30 }, (_, i) => `a${i}: ${field}`).join(' ')
  const bomb = `{ __schema { types { ...t } } }
    fragment t on __Type { ${aliases('fields { ...f }')} }
    fragment f on __Field { ${aliases('type { ...u }')} }
    fragment u on __Type { ${aliases('name')} }`
  const rejected = refusal(parse(bomb))
  assert.match(rejected.message, /^The introspection costs \d+; at most 220000/)
  assert.deepEqual([rejected.extensions.code, rejected.locations], ['QUERY_TOO_COSTLY', [{ line: 1, column: 3 }]])
  const twice = refusal(
    parse('{ a: __schema { description } ...f } fragment f on Query { b: __schema { description } }'),
  )
  assert.deepEqual([twice.extensions.errors?.[0]?.path, twice.locations?.map(({ column }) => column)], ['b', [3, 60]])
  const some = { descriptions: true, specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true }
  const all = { ...some, inputValueDeprecation: true, oneOf: true }
  for (const options of [{}, all]) checkDocumentLimits(parse(getIntrospectionQuery(options)), schema, defaultLimits)
})

test('unknown fields have a cost, so that many of them are rejected before validation', () => {
  const unknown = parse(`{ ${'x { y } '.repeat(480)} }`)
  assert.equal(refusal(unknown).extensions.code, 'QUERY_TOO_COSTLY')
})

test('a document over a limit is rejected with its value and the limit, and 0 turns a limit off', () => {
  const deep = parse('{ posts { author { posts { author { posts { author { id } } } } } } }')
  const depth = refusal(deep)
  assert.match(depth.message, /6 levels.*at most 5/)
  assert.equal(depth.extensions.code, 'QUERY_TOO_DEEP')
  const cost = refusal(deep, { ...defaultLimits, depth: 0 })
  assert.match(cost.message, /at most 1000/)
  assert.equal(cost.extensions.code, 'QUERY_TOO_COSTLY')
  checkDocumentLimits(deep, schema, { ...defaultLimits, depth: 0, cost: 0 })
})

test('the location is the field that opens one level too many, through fragments too, or the most expensive root field', () => {
  const deep = refusal(
    parse('{ tags { id }\n  p: posts { ...f } } fragment f on Post { id author { name\n posts { title } } }'),
    { ...defaultLimits, depth: 2 },
  )
  assert.equal(deep.extensions.errors?.[0]?.path, 'p.author.posts')
  assert.deepEqual(deep.locations, [{ line: 3, column: 2 }])
  const connection = refusal(parse('{ postsConnection { edges { node { id author { name } } } } }'), {
    ...defaultLimits,
    depth: 1,
  })
  assert.equal(connection.extensions.errors?.[0]?.path, 'postsConnection.edges.node.author')
  const dear = refusal(parse('{ post(id: 1) { id }\n  posts { id } }'), { ...defaultLimits, cost: 10 })
  assert.equal(dear.extensions.errors?.[0]?.path, 'posts')
  assert.deepEqual(dear.locations, [{ line: 2, column: 3 }])
})

test('depth and cost are those of the full expansion of all fragments', () => {
  // A fragment spreads only later ones, so that the expansion ends.
  const last = 5
  const bodyOf = (index: number) => {
    const later = fc.integer({ min: Math.min(index + 1, last), max: last }).map((next) => `...f${next}`)
    const leaf = fc.constantFrom(
      'id',
      'labels',
      '__typename',
      'x: comments { id }',
      'author { name }',
      'unknown { id }',
    )
    const deeper = fc.constantFrom(
      (inner: string) => inner,
      (inner: string) => `comments { post { ${inner} } }`,
      (inner: string) => `... on Post { author { posts { ${inner} } } }`,
      (inner: string) => `author { postsConnection { edges { node { ${inner} } } } }`,
    )
    const part =
      index < last
        ? fc.oneof(
            leaf,
            fc.tuple(deeper, later).map(([wrap, spread]) => wrap(spread)),
          )
        : leaf
    return fc.array(part, { maxLength: 4 }).map((parts) => `fragment f${index} on Post { id ${parts.join(' ')} }`)
  }
  const documents = fc
    .tuple(bodyOf(0), bodyOf(1), bodyOf(2), bodyOf(3), bodyOf(4), bodyOf(5))
    .map((fragments) => `{ posts { ...f0 ...f1 } } ${fragments.join(' ')}`)
  fc.assert(
    fc.property(documents, (text) => {
      const document = parse(text)
      assert.deepEqual(dearest(document), dearest(expand(document)))
    }),
    { numRuns: 200, seed: 1 },
  )
})

test('hostile documents are measured in a few milliseconds', () => {
  const hostile = {
    fan: `{ posts { ...f0 } } ${Array.from({ length: 30 }, (_, i) => `fragment f${i} on Post { author { posts { ${i < 29 ? `...f${i + 1} ...f${i + 1}` : 'id'} } } }`).join(' ')}`,
    circle: '{ posts { ...a } } fragment a on Post { author { posts { ...b ...b } } } fragment b on Post { ...a ...a }',
    aliases: `{ ${Array.from({ length: 1000 }, (_, i) => `a${i}: posts { id }`).join(' ')} }`,
  }
  for (const [name, text] of Object.entries(hostile)) {
    const document = parse(text)
    const took = startCpuTimer()
    const { cost } = dearest(document)
    assert.ok(took() < 50, name) // 10 ms or less on an idle machine
    assert.ok(cost > 1000 || name === 'circle')
  }
})

function refusal(document: DocumentNode, limits = defaultLimits): ResponseError {
  try {
    checkDocumentLimits(document, schema, limits)
  } catch (error) {
    if (error instanceof RequestErrors) return error.errors[0]!
  }
  throw new Error('it is not rejected')
}

function codeOf(error: unknown): string | null {
  if (error instanceof ApiError) return error.code
  return error instanceof RequestErrors ? error.errors[0]!.extensions.code : null
}

/** The full expansion: every spread becomes an inline fragment. */
function expand(document: DocumentNode): DocumentNode {
  const bodies = new Map(
    document.definitions.flatMap((one) =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [],
    ),
  )
  const inside = (set: SelectionSetNode): SelectionSetNode => ({
    ...set,
    selections: set.selections.map((one) => {
      if (one.kind === Kind.FRAGMENT_SPREAD) {
        const { typeCondition, selectionSet } = bodies.get(one.name.value)!
        return { kind: Kind.INLINE_FRAGMENT, typeCondition, selectionSet: inside(selectionSet) }
      }
      return one.selectionSet === undefined ? one : { ...one, selectionSet: inside(one.selectionSet) }
    }),
  })
  const operations = document.definitions.flatMap((one) =>
    one.kind === Kind.OPERATION_DEFINITION ? [{ ...one, selectionSet: inside(one.selectionSet) }] : [],
  )
  return { ...document, definitions: operations }
}
