// Cells of writes by a filter (R67). The reference composes them of the writes of each row that matches, one after another.

import type { Resource } from '../../../packages/twain/src/model/index.ts'
import { deleteAllName, hasUpdates, updateAllName } from '../../../packages/twain/src/model/names/index.ts'
import type { Where } from '../../generate/oracle-values.ts'
import type { ApiClient } from '../../harness/open-apis.ts'
import { holds } from '../apply-filter.ts'
import { asksHidden, filtersOf } from '../filters-to-try.ts'
import { ReferenceRules } from '../reference-rules.ts'
import { expectedWrite } from '../reference-writes.ts'
import { inOrder, readable } from '../visible-rows.ts'
import { type Attempt, attemptsOf, statusOf, type WriteCell } from './write-cells.ts'

/** A change of a row, without its id: the same for every row that matches. */
type Change = Pick<Attempt, 'action' | 'input'>

export function bulkCells(reference: ReferenceRules, of: Resource): WriteCell[] {
  const changes = changesOf(reference, of)
  // Each filter with one of the changes: all pairs would be thousands.
  return filtersOf(reference.world, of).map((where, at) =>
    bulkCell(reference, of, where, changes[at % changes.length]!),
  )
}

function changesOf(reference: ReferenceRules, of: Resource): Change[] {
  const isOwn = (name: string) => {
    const field = of.fields.get(name)
    return field?.kind === 'stored' && field.isLogin === true
  }
  const updates = hasUpdates(of)
    ? attemptsOf(reference, of).filter(
        ({ action, input, isInvalid }) => action === 'update' && !isInvalid && !Object.keys(input).some(isOwn),
      )
    : []
  const different = new Map(updates.map(({ action, input }) => [JSON.stringify(input), { action, input }]))
  const removal: Change = { action: 'delete', input: {} }
  return [...different.values()].flatMap((change) => [removal, change]).concat(removal)
}

function bulkCell(reference: ReferenceRules, of: Resource, where: Where, change: Change): WriteCell {
  const { status, ids, after } = expectedBulk(reference, of, where, change)
  const { action, input } = change
  const expected = { status, result: ids === null ? null : { count: ids.length, ids } }
  return {
    name: `${action} of the ${of.list} with ${JSON.stringify(where)} ${JSON.stringify(input)}`,
    of,
    after,
    expected: () => expected,
    send: (client, api) =>
      api === 'rest' ? sendRest(client, of, where, change) : sendGraphql(client, of, where, change),
  }
}

interface ExpectedBulk {
  status: number
  /** The rows that were written; null if the request is refused. */
  ids: string[] | null
  after: ReferenceRules['world']
}

/** All rows or none. A denied row decides before others that can't be written. */
function expectedBulk(reference: ReferenceRules, of: Resource, where: Where, change: Change): ExpectedBulk {
  const { world, viewer } = reference
  const refused = (status: number): ExpectedBulk => ({ status, ids: null, after: world })
  const could =
    change.action === 'delete'
      ? reference.could('DELETE', of)
      : reference.could('UPDATE', of) || reference.couldTransition(of)
  if (!viewer.authenticated && !could) return refused(401)
  if (asksHidden(reference, of, where)) return refused(400)
  const matching = readable(reference, world.spots(of)).filter((spot) =>
    holds(world, spot, where, reference.filterViewer),
  )
  const ids = inOrder(reference, matching, []).map(({ row }) => row.id)
  let after = world
  const failed: number[] = []
  for (const id of ids) {
    const now = new ReferenceRules(after, viewer)
    // A delete of an earlier row may have taken it along.
    if (change.action === 'delete' && after.find(of, id) === undefined) continue
    // Who deletes their own account gives the password, which a delete by a filter can't take.
    if (change.action === 'delete' && of === world.model.account?.resource && id === viewer.account) {
      failed.push(403)
      continue
    }
    const verdict = expectedWrite(now, { ...change, name: '', of, id })
    // A row that matched and can't be found any more is denied by what was written before it.
    if (verdict.status >= 300) failed.push(verdict.status === 404 ? 403 : verdict.status)
    else after = verdict.after
  }
  if (failed.length > 0) return refused(failed.includes(403) ? 403 : failed[0]!)
  return { status: 200, ids, after }
}

async function sendRest(client: ApiClient, of: Resource, where: Where, { action, input }: Change): Promise<unknown> {
  const path = `/${of.path}?all=true&where=${encodeURIComponent(JSON.stringify(where))}`
  const { status, body } =
    action === 'delete' ? await client.rest('DELETE', path) : await client.rest('PATCH', path, input)
  return { status, result: status === 200 ? body : null }
}

async function sendGraphql(client: ApiClient, of: Resource, where: Where, { action, input }: Change): Promise<unknown> {
  const isDelete = action === 'delete'
  const declared = `$where: ${of.name}Where!${isDelete ? '' : `, $input: Update${of.name}Input!`}`
  const field = isDelete ? deleteAllName(of) : updateAllName(of)
  const query = `mutation (${declared}) { done: ${field}(where: $where, all: true${isDelete ? '' : ', input: $input'}) { count ids } }`
  const { data, errors } = await client.graphql(query, { where, input })
  const result = data?.done ?? null
  return { status: result === null ? statusOf(errors[0]) : 200, result }
}
