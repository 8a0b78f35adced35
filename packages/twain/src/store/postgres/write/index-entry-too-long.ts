// PostgreSQL limits index entries to about 2,700 bytes after compression; SQLite does not. So a field without an index may
// store a longer text, and a field with one refuses it by name.

import { type ApiError, validationError } from '#base'
import type { Model } from '#model'
import { requiredIndexes } from '../../tables/indexes.ts'
import type { Layout } from '../../tables/layout.ts'
import { columnNames } from '../../write/access/table-access.ts'
import { postgresIndexName } from '../migrate/tables.ts'

/** Converts error 54000 of the server, which names the index. */
export function indexEntryTooLong(error: unknown, model: Model, layout: Layout): ApiError {
  const { constraint_name: called } = error as { constraint_name?: string }
  const index = requiredIndexes(model, layout).find((wanted) => postgresIndexName(wanted) === called)
  const table = [...layout.tables.values()].find(({ name }) => name === index?.table)
  const fields = [...(table?.columns ?? [])]
    .filter(([, column]) => columnNames(column).some((one) => index!.columns.includes(one)))
    .map(([field]) => field.name)
  return validationError(
    (fields.length > 0 ? fields : ['']).map((path) => ({
      path,
      code: 'LENGTH',
      message: 'is too long to be indexed: at most some 2,700 bytes.',
    })),
  )
}
