// The response as JSON text: `data` is joined from the unparsed texts of its root fields; `errors` stands beside it.

import { shorten } from '#base'
import type { ResponseError } from '../document/response-errors.ts'
import type { SelectedField } from '../document/selection.ts'
import type { RootResult } from './execution-context.ts'

/** A null in a non-null root field makes `data` null as a whole (specification, section 6.4.4). */
export function formatResults(results: readonly RootResult[], extensions: object | null = null): string {
  let data = ''
  let isNull = false
  const errors: ResponseError[] = []
  for (const result of results) {
    const text = 'error' in result ? 'null' : result.text
    data += `${data === '' ? '' : ','}${JSON.stringify(result.key)}:${text}`
    if (!('error' in result)) {
      errors.push(...result.errors)
      isNull ||= result.isNulled === true
      continue
    }
    errors.push(result.error)
    isNull ||= !result.isNullable
  }
  const members = isNull ? 'null' : `{${data}}`
  const extensionsText = extensions === null ? '' : `,"extensions":${JSON.stringify(extensions)}`
  if (errors.length === 0) return `{"data":${members}${extensionsText}}`
  return `{"errors":[${errorTexts(errors)}],"data":${members}${extensionsText}}`
}

const maxDetailedErrors = 20

/** Each error has its entry. After the first ones an entry is shortened. */
function errorTexts(errors: readonly ResponseError[]): string {
  return errors
    .map(({ message, extensions, ...position }, index) => {
      if (index < maxDetailedErrors) return JSON.stringify({ message, ...position, extensions })
      return JSON.stringify({ message: shorten(message, 60), ...position, extensions: { code: extensions.code } })
    })
    .join(',')
}

/** A response without `data`: nothing was run. */
export function formatErrors(errors: readonly ResponseError[]): string {
  return JSON.stringify({ errors })
}

/** A `DeleteResult` with the selected fields. */
export function deletedText(
  type: string,
  { found, id, isPending }: { found: boolean; id: string; isPending?: true },
  fields: readonly SelectedField[],
): string {
  const rest = isPending === true ? ' The rows that refer to it follow in the background.' : ''
  const by = id === '' ? 'this key' : `the id "${id}"`
  const message = found ? `${type} "${id}" is deleted.${rest}` : `There is no ${type} with ${by}.`
  const values: Record<string, unknown> = { success: found, message, id, __typename: 'DeleteResult' }
  return JSON.stringify(Object.fromEntries(fields.map(({ key, name }) => [key, values[name]])))
}

/** A `BulkResult` with the selected fields. */
export function bulkText({ ids }: { ids: readonly string[] }, fields: readonly SelectedField[]): string {
  const values: Record<string, unknown> = { count: ids.length, ids, __typename: 'BulkResult' }
  return JSON.stringify(Object.fromEntries(fields.map(({ key, name }) => [key, values[name]])))
}
