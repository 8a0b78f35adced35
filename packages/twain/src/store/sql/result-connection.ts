// A connection that is the whole result and whose rows are read once: the dialect collects them, with the row behind the page and the
// sort keys for the cursors. Null where that does not work: `compilePage` then reads them into a table, and that several times.

import { unreachable } from '#base'
import type { ConnectionSelection, PageInfoSelection, PageRead } from '#plan'
import type { ConnectionMember, PageInfoMember, ResultPage } from './dialect.ts'
import { compileCount } from './page-counts.ts'
import { PageRowSource } from './page-row-source.ts'
import type { PageScope } from './page-scope.ts'
import { compileSize } from './rows.ts'
import { compileEdge, compileMembers, hasPreviousPage, hasRows } from './selection.ts'
import type { SqlRow } from './sql-row.ts'
import type { StatementBuilder } from './statement-builder.ts'

export function compileResultConnection(
  read: PageRead,
  selections: readonly ConnectionSelection[],
  scope: PageScope | null,
  near: SqlRow,
  statement: StatementBuilder,
): ResultPage | null {
  const { resultConnection } = statement.dialect
  const lists = selections.filter((selection) => selection.kind === 'edges')
  const [list] = lists
  if (resultConnection === null || list === undefined || lists.length > 1) return null
  const nodes = list.selections.filter((selection) => selection.kind === 'node')
  // The row behind the page is built like the others, and nobody sees it.
  if (nodes.some(({ types }) => types.some((type) => hasRows(type.selections)))) return null
  const page = new PageRowSource(read, near, statement)
  if (page.one === null) return null
  const [node] = nodes
  const isOnlyNode = node !== undefined && list.selections.length === 1
  const edge = isOnlyNode
    ? compileMembers(node.types[0]!.selections, page.one, statement)
    : compileEdge(list.selections, page, near, statement)
  const members = selections.map(compileMember)
  const keys = members.some(hasCursor) ? page.collectedKeys() : []
  // Compiled last: by now the page knows which columns are used.
  const source = `(${page.rows(scope, compileSize(read.page, statement, 1))}) AS ${page.alias}`
  const size = compileSize(read.page, statement).limit
  const nodeKey = isOnlyNode ? node.key : null
  return resultConnection({ members, edge, nodeKey, source, size, order: page.order, keys })

  function compileMember(selection: ConnectionSelection): ConnectionMember {
    const { key } = selection
    switch (selection.kind) {
      case 'constant':
        return { key, kind: 'constant', value: selection.value }
      case 'edges':
        return { key, kind: 'edges' }
      case 'totalCount':
        return { key, kind: 'value', sql: compileCount(read, scope, near, statement, selection) }
      case 'pageInfo':
        return { key, kind: 'pageInfo', members: selection.selections.map(compilePageInfoMember) }
      default:
        return unreachable(selection)
    }
  }

  function compilePageInfoMember(selection: PageInfoSelection): PageInfoMember {
    const { key, kind } = selection
    if (kind === 'constant') return { key, kind, value: selection.value }
    if (kind === 'hasPreviousPage') return { key, kind: 'constant', value: hasPreviousPage(read) }
    return { key, kind }
  }
}

function hasCursor(member: ConnectionMember): boolean {
  return member.kind === 'pageInfo' && member.members.some(({ kind }) => kind === 'startCursor' || kind === 'endCursor')
}
