// A schema with its rows in an open store, the viewers, and a way to restore the rows.

import assert from 'node:assert/strict'
import { anonymous, system, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import type { Resource } from '../../packages/twain/src/model/index.ts'
import { isAccountTime } from '../../packages/twain/src/model/values/operators.ts'
import { openApis, type RestAnswer, type Tamper, type TestApis } from '../harness/open-apis.ts'
import { until } from '../harness/until.ts'
import { upsertOperation, upsertService } from './cells/upsert-cells.ts'
import { type Row, RowsInMemory, withoutType } from './rows-in-memory.ts'
import type { RuleSchema } from './rule-schemas.ts'

export interface RulesFixture {
  schema: RuleSchema
  apis: TestApis
  rows: RowsInMemory
  viewers: { name: string; viewer: Viewer }[]
  /** Every row in the store, with links on both sides. */
  dump(): Promise<Record<string, Row[]>>
  /** Restores all rows. */
  restore(): Promise<void>
}

export async function openRulesFixture(
  schema: RuleSchema,
  tamper?: Tamper,
  feed: { hasFeed?: true } = {},
): Promise<RulesFixture> {
  const sdl = `${schema.sdl}\n${upsertOperation}`
  const apis = await openApis(sdl, { depth: 0, cost: 0 }, tamper, undefined, undefined, {
    service: upsertService,
    ...feed,
  })
  const world = new RowsInMemory(apis.model, schema.rows, schema.views)
  const ours = apis.as(system)
  const fixture: RulesFixture = { schema: schema, apis: apis, rows: world, viewers: viewersOf(world), dump, restore }
  await restore()
  assert.deepEqual(await dump(), world.dump())
  return fixture

  async function dump(): Promise<Record<string, Row[]>> {
    const all: Record<string, Row[]> = {}
    for (const of of world.model.resources) {
      const { status, body } = await ours.rest('GET', `/${of.path}?limit=100&fields=${whole(of)}`)
      assert.equal(status, 200, JSON.stringify(body))
      all[of.name] = (body as Row[]).map((row) => flat(of, row))
    }
    return all
  }

  async function restore(): Promise<void> {
    await purgeDeleted()
    const now = await dump()
    await removeStrangers(now)
    const there = new Set(Object.values(now).flatMap((rows) => rows.map(({ id }) => id)))
    for (const [type, { id }] of schema.rows) {
      const of = world.resource(type)
      const { row } = world.find(of, id)!
      const stored = now[type]!.find((each) => each.id === id)
      if (stored !== undefined && JSON.stringify(stored) === JSON.stringify(row)) continue
      const { status, body } = await put(`/${of.path}/${id}`, inputOf(of, row, there, world))
      there.add(id)
      assert.ok(status < 300, `${status} ${JSON.stringify(body)} for ${type} ${id}`)
    }
    await removeStrangers(await dump()) // rows that a default has created
  }

  /** A deleted id is free as soon as the change log has lost its delete. */
  async function put(path: string, input: Record<string, unknown>): Promise<RestAnswer> {
    const answer = await ours.rest('PUT', path, input)
    if (answer.status !== 410) return answer
    return until(
      async () => {
        await apis.forgetChanges()
        return ours.rest('PUT', path, input)
      },
      ({ status }) => status !== 410,
    )
  }

  /** A row that can be restored keeps its id. */
  async function purgeDeleted(): Promise<void> {
    for (const of of world.model.resources) {
      if (of.softDelete === undefined) continue
      const { body } = await ours.rest('GET', `/${of.path}?deleted=only&fields=id`)
      for (const { id } of body as Row[]) await ours.rest('DELETE', `/${of.path}/${id}?purge=true`)
    }
  }

  async function removeStrangers(all: Record<string, Row[]>): Promise<void> {
    for (const of of world.model.resources.toReversed()) {
      for (const { id } of all[of.name]!)
        if (world.find(of, id) === undefined) await ours.rest('DELETE', `/${of.path}/${id}${final(of)}`)
    }
  }
}

function final({ softDelete }: Resource): string {
  return softDelete === undefined ? '' : '?purge=true'
}

/** An anonymous viewer, each account with its roles, an operator for each role, and an API key without roles. */
function viewersOf(world: RowsInMemory): RulesFixture['viewers'] {
  const { account } = world.model
  const known = (name: string, id: string | null, roles: string[]) => ({
    name,
    viewer: {
      account: id,
      roles,
      authenticated: true,
      token: `token-of-${name}`,
      verified: ['ann', 'eve'].includes(id ?? ''),
    },
  })
  const accounts =
    account === null
      ? []
      : world.spots(account.resource).map(({ row }) => {
          const roles = account.roles === null ? null : row[account.roles.name]
          return known(
            row.id,
            row.id,
            Array.isArray(roles) ? (roles as string[]) : roles === null ? [] : [String(roles)],
          )
        })
  return [
    { name: 'nobody', viewer: anonymous },
    ...accounts,
    known('admin operator', null, ['admin']),
    known('editor operator', null, ['editor']),
    known('plain key', null, []),
    ...(world.model.claims.length === 0 ? [] : claimed.map(withClaims)),
  ]
}

const claimed: readonly [roles: string[], values: Record<string, unknown>][] = [
  [[], { org: 'a' }],
  [[], { org: ['a', 'c'], level: 2 }],
  [[], { org: [], level: 'high' }],
  [[], { org: 7 }],
  [['editor'], { org: 'b' }],
  [['editor'], { org: ['b', 'c'] }],
  [['editor'], { org: null }],
]

/** A token of an external issuer. */
function withClaims([roles, values]: (typeof claimed)[number]): RulesFixture['viewers'][number] {
  const key = JSON.stringify(values)
  const name = `${roles.join()} ${key}`
  return {
    name,
    viewer: { account: null, roles, authenticated: true, token: `token-of-${name}`, claims: { values, key } },
  }
}

/** The input that writes the row; a link to a row that does not exist yet is written from the other side. */
function inputOf(of: Resource, row: Row, there: ReadonlySet<string>, world: RowsInMemory): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  for (const field of of.fields.values()) {
    if (field.name === 'id' || field.kind === 'many' || field.kind === 'inverse') continue
    if (field.kind === 'stored' && isAccountTime(field.auto)) continue
    const value = row[field.name]
    input[field.name] = field.kind === 'links' ? (value as string[]).filter((id) => there.has(id)) : value
  }
  if (!there.has(row.id) && of === world.model.account?.resource) input.password = 'correct horse'
  return input
}

function whole(of: Resource): string {
  return [...of.fields.values()]
    .filter(({ kind }) => kind !== 'many' && kind !== 'inverse')
    .map(({ kind, name }) => (kind === 'links' ? `${name}.id` : name))
    .join(',')
}

function flat(of: Resource, row: Row): Row {
  const result: Row = { id: row.id }
  for (const { kind, name } of of.fields.values()) {
    if (kind === 'links') result[name] = (row[name] as Row[]).map(({ id }) => id).toSorted()
    else if (kind === 'reference') result[name] = withoutType(row[name])
    else if (kind === 'stored') result[name] = row[name]
  }
  return result
}
