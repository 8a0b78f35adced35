// Writes through one API, read back through the other: creates, updates, replaces and deletes of any resource.

import assert from 'node:assert/strict'
import type { Abstract, Resource } from '../../packages/twain/src/model/index.ts'
import { asRest, selectionOf } from '../generate/graphql-selection.ts'
import { type Input, membersOf } from '../generate/input-for-model.ts'
import { graphqlData, restBody, type TestApis } from '../harness/open-apis.ts'

export type Row = Record<string, unknown> & { id: string }

export function idsIn(made: Map<Resource, Row[]>, target: Resource | Abstract): string[] {
  return membersOf(target).flatMap((member) => (made.get(member) ?? []).map(({ id }) => id))
}

export async function createByRest(apis: TestApis, resource: Resource, input: Input): Promise<Row> {
  const answer = await apis.rest('POST', `/${resource.path}`, input)
  assert.equal(answer.status, 201, JSON.stringify({ answer: answer.body, input }))
  const { id } = answer.body as Row
  assert.equal(answer.headers.location, `/${resource.path}/${id}`)
  const row = await readByGraphql(apis, resource, id)
  assert.deepEqual(withoutInverses(resource, row), withoutInverses(resource, answer.body as Row), resource.name)
  return row
}

export async function createByGraphql(apis: TestApis, resource: Resource, input: Input): Promise<Row> {
  const document = `mutation ($input: Create${resource.name}Input!) { made: create${resource.name}(input: $input) { ${selectionOf(resource)} } }`
  const row = asRest(resource, (await graphqlData(apis, document, { input })).made) as Row
  assert.deepEqual(
    withoutInverses(resource, await readByRest(apis, resource, row.id)),
    withoutInverses(resource, row),
    resource.name,
  )
  return row
}

/** Rows are written in turn by PATCH, update with input, update with single fields, PUT and replace. */
export async function writeAgain(
  apis: TestApis,
  resource: Resource,
  before: Row,
  change: Input,
  turn: number,
): Promise<Row> {
  const [id, { name }] = [before.id, resource]
  const path = `/${resource.path}/${id}`
  if (turn % 4 === 0) await restBody(apis, 'PATCH', path, change)
  if (turn % 4 === 1)
    await graphqlData(
      apis,
      `mutation ($input: Update${name}Input) { update${name}(id: "${id}", input: $input) { id } }`,
      {
        input: change,
      },
    )
  const whole = { ...writableAgain(resource, before), ...change }
  if (turn % 4 === 2) await restBody(apis, 'PUT', path, whole)
  if (turn % 4 === 3)
    await graphqlData(
      apis,
      `mutation ($input: Create${name}Input!) { replace${name}(id: "${id}", input: $input) { id } }`,
      {
        input: whole,
      },
    )
  return turn % 2 === 0 ? readByGraphql(apis, resource, id) : readByRest(apis, resource, id)
}

/** The row has what was written. A reference to one of several types was written as an id, and is read as `Type:id`. */
export function expectWritten(resource: Resource, row: Row, input: Input): void {
  for (const [name, value] of Object.entries(input)) {
    const field = resource.fields.get(name)!
    if (field.kind === 'links') continue
    const isTyped = field.kind === 'reference' && field.to.kind === 'abstract' && typeof row[name] === 'string'
    const shown = isTyped ? String(row[name]).replace(/^\w+:/, '') : row[name]
    assert.deepEqual(shown, value, `${resource.name}.${name}`)
  }
}

/** What an update may change: no links, which have their own test, and no unique fields. */
export function writableAgain(resource: Resource, input: Input): Input {
  return Object.fromEntries(
    Object.entries(input).filter(([name, value]) => {
      const field = resource.fields.get(name)!
      if (field.name === 'id' || value === undefined) return false
      if (field.kind === 'reference') return !field.unique || value !== null
      return field.kind === 'stored'
    }),
  )
}

async function readByRest(apis: TestApis, resource: Resource, id: string): Promise<Row> {
  return (await restBody(apis, 'GET', `/${resource.path}/${id}`)) as Row
}

async function readByGraphql(apis: TestApis, resource: Resource, id: string): Promise<Row> {
  const data = await graphqlData(
    apis,
    `query ($id: ID!) { row: ${resource.single}(id: $id) { ${selectionOf(resource)} } }`,
    {
      id,
    },
  )
  return asRest(resource, data.row) as Row
}

/** The side of a one-to-one relation without a column may be in an answer or not. */
function withoutInverses(resource: Resource, row: Row): Row {
  const entries = Object.entries(row).filter(([name]) => resource.fields.get(name)?.kind !== 'inverse')
  return Object.fromEntries(entries) as Row
}

export async function expectDeletes(apis: TestApis, resource: Resource, rows: Row[]): Promise<void> {
  for (const [turn, { id }] of rows.entries()) {
    const path = `/${resource.path}/${id}`
    const mutation = `mutation { gone: delete${resource.name}(id: "${id}") { success id } }`
    if (turn % 2 === 0) {
      const { status } = await apis.rest('DELETE', path)
      // A cascade may have deleted it already; a required reference may still prevent the delete.
      assert.ok([204, 404, 409].includes(status), `${status} for DELETE ${path}`)
      if (status === 409) continue
      assert.deepEqual(await graphqlData(apis, `{ row: ${resource.single}(id: "${id}") { id } }`), { row: null })
      assert.deepEqual(await graphqlData(apis, mutation), { gone: { success: false, id } })
    } else {
      const { data, errors } = await apis.graphql(mutation)
      if (errors[0]?.extensions?.code === 'CONFLICT') continue
      assert.deepEqual(errors, [])
      assert.equal((data!.gone as { id: string }).id, id)
      assert.equal((await apis.rest('GET', path)).status, 404)
      assert.equal((await apis.rest('DELETE', path)).status, 404)
    }
  }
}
