// A whole read → one statement. Its first column is the answer's JSON text.

import { unreachable } from '#base'
import type { AuthorizedPlan, Many, One, Pick, Read, Slot } from '#plan'
import type { Extras } from '../contract.ts'
import type { Layout } from '../layout.ts'
import { compileMany } from './many.ts'
import { compileObject } from './pick.ts'
import { Row } from './row.ts'
import { compileCount, compileMore } from './rows.ts'
import { type Parameter, Statement } from './statement.ts'
import { from } from './where.ts'

export interface CompiledRead {
  sql: string
  parameters: Parameter[]
}

/** Columns: of one row its text and version; of a page its text, whether the owner is there, whether more follow, the total. */
export function compileRead(plan: AuthorizedPlan<Read>, layout: Layout, extras: Extras): CompiledRead {
  switch (plan.kind) {
    case 'one':
      return compileOne(plan, layout)
    case 'many':
      return compilePage(plan, layout, extras)
    default:
      return unreachable(plan)
  }
}

function compileOne({ of, id, pick }: One, layout: Layout): CompiledRead {
  const statement = new Statement()
  const sql = selectOne(of, id, pick, layout, statement)
  return { sql, parameters: statement.parameters }
}

/** What a write answers: the row that it wrote, by its id in the first parameter. */
export function compileAnswer(of: One['of'], pick: readonly Pick[], layout: Layout): CompiledRead {
  const statement = new Statement()
  const sql = selectOne(of, writtenId, pick, layout, statement)
  return { sql, parameters: statement.parameters }
}

/** The slot of a written row's id: it is known only in the write's own transaction. */
export const writtenId: Slot = { index: -1, fits: { kind: 'type', type: { kind: 'scalar', name: 'ID' } } }

function selectOne(of: One['of'], id: Slot, pick: readonly Pick[], layout: Layout, statement: Statement): string {
  const row = new Row(statement.alias(), of, layout)
  const wanted = statement.bind(id, { kind: 'plain' })
  const object = compileObject(pick, row, statement)
  return `SELECT ${object}, ${row.version} FROM ${from(row)} WHERE ${row.id} = ${wanted}`
}

function compilePage(read: Many, layout: Layout, extras: Extras): CompiledRead {
  const statement = new Statement()
  const { within } = read
  const near = new Row('', within === null ? firstResource(read) : within.field.owner, layout)
  const scope = within === null ? null : { field: within.field, id: statement.bind(within.id, { kind: 'plain' }) }
  const columns = [compileMany(read, scope, near, statement), found(), more(), total()]
  return { sql: `SELECT ${columns.join(', ')}`, parameters: statement.parameters }

  function found(): string {
    if (scope === null) return '1'
    const owner = new Row(statement.alias(), near.resource, layout)
    return `EXISTS (SELECT 1 FROM ${from(owner)} WHERE ${owner.id} = ${scope.id})`
  }
  function more(): string {
    return extras.more ? compileMore(read, scope, near, statement) : '0'
  }
  function total(): string {
    return extras.total ? compileCount(read, scope, near, statement) : 'NULL'
  }
}

function firstResource({ of }: Many): One['of'] {
  return of.kind === 'resource' ? of : of.members[0]!
}
