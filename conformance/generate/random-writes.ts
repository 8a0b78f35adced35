// Writes random rows through a random API, and compares the answers and later reads with the oracle.

import assert from 'node:assert/strict'
import { type ApiClient, graphqlData, restBody } from '../harness/open-apis.ts'
import type { Draw } from './draw.ts'
import type { Oracle, Row, TypeSketch } from './oracle.ts'
import { plainRow, selection } from './oracle-selection.ts'
import { drawField, drawInput, represented, written } from './random-rows.ts'

export async function writeRandomRows(draw: Draw, apis: ApiClient, oracle: Oracle): Promise<void> {
  for (const type of oracle.sketch.types) {
    for (let left = draw.between(1, 9); left > 0; left--) {
      const input = drawInput(draw, oracle, type)
      const made = draw.flip()
        ? await restBody(apis, 'POST', `/${type.list}`, input)
        : plainRow(
            oracle,
            type,
            (
              await graphqlData(
                apis,
                `mutation ($input: Create${type.name}Input!) { made: create${type.name}(input: $input) { ${selection(oracle, type)} } }`,
                { input },
              )
            ).made,
          )
      const { id } = made as Row
      const row = written(type, { id }, input)
      assert.deepEqual(made, represented(oracle, type, row), 'a create answers with the row that it wrote')
      oracle.put(type.name, row)
    }
  }
}

/** Updates and deletes through one API, and reads through the other. */
export async function changeRandomRows(draw: Draw, apis: ApiClient, oracle: Oracle): Promise<void> {
  for (const type of oracle.sketch.types) {
    for (const row of oracle.rows(type.name)) {
      const what = draw.one(['keep', 'keep', 'update', 'update', 'delete'])
      if (what === 'update') await update(draw, apis, oracle, type, row)
      if (what === 'delete') await remove(draw, apis, oracle, type, row)
    }
  }
}

async function update(draw: Draw, apis: ApiClient, oracle: Oracle, type: TypeSketch, row: Row): Promise<void> {
  const writable = type.fields.filter((field) => field.kind !== 'many')
  if (writable.length === 0) return
  const chosen = draw.some(writable, 1, writable.length)
  const input: Record<string, unknown> = {}
  for (const field of chosen) {
    const value = drawField(draw, oracle, field)
    if (value !== undefined) input[field.name] = value
  }
  oracle.put(type.name, written(type, row, input))
  const expected = represented(oracle, type, oracle.row(type.name, row.id)!)
  const mutation = `mutation ($id: ID!, $input: Update${type.name}Input) { update${type.name}(id: $id, input: $input) { id } }`
  if (draw.flip()) {
    await restBody(apis, 'PATCH', `/${type.list}/${row.id}`, input)
    const single = type.name.toLowerCase()
    const data = await graphqlData(apis, `query ($id: ID!) { ${single}(id: $id) { ${selection(oracle, type)} } }`, {
      id: row.id,
    })
    assert.deepEqual(plainRow(oracle, type, data[single]), expected, `PATCH ${JSON.stringify(input)}, read by GraphQL`)
  } else {
    await graphqlData(apis, mutation, { id: row.id, input })
    assert.deepEqual(
      await restBody(apis, 'GET', `/${type.list}/${row.id}`),
      expected,
      `update ${JSON.stringify(input)}, read by REST`,
    )
  }
}

async function remove(draw: Draw, apis: ApiClient, oracle: Oracle, type: TypeSketch, row: Row): Promise<void> {
  const allowed = oracle.remove(type.name, row.id)
  if (draw.flip()) {
    const { status } = await apis.rest('DELETE', `/${type.list}/${row.id}`)
    assert.equal(status, allowed ? 204 : 409, 'DELETE')
  } else {
    const { data, errors } = await apis.graphql(
      `mutation ($id: ID!) { gone: delete${type.name}(id: $id) { success id } }`,
      { id: row.id },
    )
    if (allowed) assert.deepEqual(data, { gone: { success: true, id: row.id } })
    else assert.equal(errors[0]?.extensions?.code, 'CONFLICT')
  }
}
