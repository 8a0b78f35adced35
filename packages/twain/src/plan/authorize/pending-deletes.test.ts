import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anonymous, system } from '#base/http'
import { loadModel, type Resource } from '#model'
import { PlanBuilder } from '../build/plan-builder.ts'
import type { RowRead } from '../plan.ts'
import { printWhere } from '../print-where.fixture.ts'
import { Authority } from './authorize.ts'
import { PendingDeletes } from './pending-deletes.ts'

const model = loadModel(
  `
  type Team { id: ID! }
  type Member { id: ID! team: Team! @relation(onDelete: CASCADE) friend: Team }
  type Badge { id: ID! to: Owner @relation(onDelete: CASCADE) }
  type Note { id: ID! member: Member @relation(onDelete: CASCADE) parent: Note @relation(onDelete: CASCADE) }
  type Poll { id: ID! team: Team }
  union Owner = Team | Member
`,
  'teams.graphql',
)

const typeOf = (name: string) => model.types.get(name) as Resource

function readOne(name: string): RowRead {
  const builder = new PlanBuilder()
  const id = builder.parameter({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, 'a', 'id')
  return { kind: 'one', of: typeOf(name), id, selections: [] }
}

test('a delete hides its row, and the rows that CASCADE takes along', () => {
  const pending = new PendingDeletes(new Set(['Team']), model)
  const live = (name: string) => printWhere(pending.live(typeOf(name)))
  assert.equal(live('Team'), 'live')
  assert.equal(live('Poll'), 'true')
  assert.match(live('Member'), /team null.*team.*live/)
  assert.doesNotMatch(live('Member'), /friend/)
  assert.match(live('Badge'), /is Team.*live.*is Member/)
  assert.equal(live('Note'), 'live') // by a recursive query
  const below = new PendingDeletes(new Set(['Member']), model)
  assert.equal(printWhere(below.live(typeOf('Team'))), 'true')
  assert.equal(printWhere(below.live(typeOf('Member'))), 'live')
})

test('reads pay only while a delete runs, and then for everybody', () => {
  const authority = new Authority(model)
  const plan = readOne('Member')
  assert.equal(authority.authorize(plan, anonymous), plan)
  authority.setPendingDeletes(new Set(['Team']))
  for (const viewer of [anonymous, system]) assert.match(printWhere(authority.authorize(plan, viewer).guard!), /live/)
  assert.equal(authority.authorize(readOne('Poll'), anonymous).guard, undefined)
  authority.setPendingDeletes(new Set())
  assert.equal(authority.authorize(plan, anonymous), plan)
})
