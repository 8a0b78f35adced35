// `GET /posts/{id}/changes` → the row with its history (docs/reference/rest.md, R171–R177): the plan of `_changes` in GraphQL.

import { didYouMean } from '#base'
import type { StoredType } from '#model'
import type { EntrySelection, RowRead } from '#plan'
import { defaultPageSize, type PlanBuilder, planHistory, RequestValue } from '#plan/build'
import { locateRow, type ParsedRequest } from '../request/parsed-request.ts'
import { expectParameters } from '../request/query-string.ts'
import { textToValue } from '../request/text-value.ts'

/** The only member of the result. */
const historyKey = '_changes'

export function planHistoryOf(parsed: ParsedRequest, builder: PlanBuilder): RowRead {
  const { route, query } = parsed
  if (route.kind !== 'history') throw new Error(`a ${route.kind} is no history`)
  const locator = locateRow(parsed, route.of, builder)
  expectParameters(query, ['first', 'after', 'fields'], builder)
  const { after } = query.parameters
  const page = {
    first: query.parameters.first === undefined ? defaultPageSize : new RequestValue(sizeOf(parsed), sizeOf),
    after:
      after === undefined
        ? null
        : new RequestValue(after, ({ query: { parameters } }: ParsedRequest) => parameters.after),
  }
  const read = planHistory(route.of, page, connection(entryMembers(query.parameters.fields, builder)), builder, {
    first: 'first',
    after: 'after',
  })
  return { kind: 'one', of: route.of, ...locator, selections: [{ kind: 'changes', key: historyKey, read }] }
}

function sizeOf({ query }: ParsedRequest): unknown {
  return textToValue(intType, query.parameters.first ?? '')
}

const intType: StoredType = { kind: 'scalar', name: 'Int' }

/** As the page of a list by cursor: `pageInfo` is last, where the reply finds it. */
function connection(members: EntrySelection[]): Parameters<typeof planHistory>[2] {
  return [
    {
      kind: 'edges',
      key: 'edges',
      selections: [
        { kind: 'node', key: 'node', selections: members },
        { kind: 'cursor', key: 'cursor' },
      ],
    },
    {
      kind: 'pageInfo',
      key: 'pageInfo',
      selections: [
        { kind: 'hasNextPage', key: 'hasNextPage' },
        { kind: 'endCursor', key: 'endCursor' },
      ],
    },
  ]
}

const memberNames = ['kind', 'version', 'time', 'by', 'via', 'changed'] as const

function entryMembers(fields: string | undefined, builder: PlanBuilder): EntrySelection[] {
  const names = fields === undefined ? memberNames : [...new Set(fields.split(','))]
  return names.flatMap((name): EntrySelection[] => {
    const member = memberNames.find((one) => one === name)
    if (member === undefined) {
      const message = `"${name}" is no part of a change; there is ${memberNames.join(', ')}.${didYouMean(name, memberNames)}`
      builder.problem('fields', 'UNKNOWN', message)
      return []
    }
    if (member !== 'changed') return [{ kind: member, key: member }]
    const parts = (['field', 'before', 'after'] as const).map((part) => ({ kind: part, key: part }))
    return [{ kind: 'changed', key: 'changed', selections: parts }]
  })
}
