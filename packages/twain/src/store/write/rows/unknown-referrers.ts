// What a delete does about references that the served schema does not know (`access/unknown-references.ts`): as the schema
// that has them would, where it can. A row that requires the deleted one forbids the delete; whether to delete such a row
// too (CASCADE) only the schema that knows its type can say.

import { ApiError } from '#base'
import type { Resource } from '#model'
import type { QueryRows } from '../../sql/query.ts'
import type { StoredRow } from '../access/stored-row.ts'
import type { UnknownReferrer } from '../access/unknown-references.ts'
import type { WriterContext } from '../access/writer-context.ts'
import { rowName } from '../rules/row-name.ts'
import type { WriteState } from '../rules/write-state.ts'
import { inChunks, type Step } from '../steps/query-step.ts'

/** Reads the unknown references again if another schema was served since. `served`: the rows of `askServed`. */
export function* refreshUnknown(context: WriterContext, served: readonly QueryRows[]): Step<void> {
  const query = context.unknown.outdated(served)
  if (query !== null) context.unknown.takeNames(yield [query], served)
}

export function* rejectUnknown(
  resource: Resource,
  row: StoredRow,
  referrers: readonly UnknownReferrer[],
  state: WriteState,
): Step<void> {
  const restricting = referrers.filter(({ reference }) => reference.onDelete !== 'SET_NULL')
  if (restricting.length === 0) return
  const isUnknownType = restricting.some(({ reference }) => reference.owner === null)
  const message = isUnknownType
    ? 'Rows of a type that this version of the schema does not know refer to it.'
    : 'Rows refer to it by a field that this version of the schema does not know.'
  throw referredByUnknown(`The ${yield* rowName(resource, row, state)}`, message)
}

/** The message names no type and no field: the rules that say who may read them are unknown too. */
export function referredByUnknown(
  subject: string,
  message = 'Rows of a table that this version of the schema does not know refer to it.',
  cause?: unknown,
): ApiError {
  return new ApiError('CONFLICT', `${subject} can't be deleted: ${message}`, {
    hint:
      'Delete or change those rows through the version of the schema that has them. If their type or field was removed for ' +
      'good, twain migrate --drop removes its data.',
    problems: [{ path: '', code: 'REFERENCE', message }],
    cause,
  })
}

/** A unique index that the served schema does not know refuses the values. */
export function takenForUnknown(cause: unknown): ApiError {
  return new ApiError('CONFLICT', 'Another row has a value that must be unique in another version of the schema.', {
    hint: 'Write it through the version of the schema that has the unique field, or with another value.',
    cause,
  })
}

/** Clears optional references of rows whose type is unknown. Each reference of a row is a version of its own. */
export function* clearUnknown(
  referrers: readonly UnknownReferrer[],
  { context, time, viewer: { by, via, trace } }: WriteState,
): Step<void> {
  const byRow = Map.groupBy(referrers, ({ reference, id }) => `${reference.table}:${id}`)
  const most = Math.max(0, ...[...byRow.values()].map((ofRow) => ofRow.length))
  for (let nth = 0; nth < most; nth++) {
    for (const some of inChunks([...byRow.values()].flatMap((ofRow) => ofRow.slice(nth, nth + 1)))) {
      const found = yield some.map((referrer) => context.unknown.find(referrer))
      yield some.flatMap((referrer, index) => {
        const version = context.nextVersion(Number(found[index]![0]![0]))
        return context.unknown.clear(referrer, version, { time, by, via, trace })
      })
    }
  }
}
