// The response as text: `data` is put together from the texts of its root fields, unparsed; `errors` beside it.

import { shorten } from '#base'
import type { ResponseError } from '../document/response-errors.ts'
import type { SelectedField } from '../document/selection.ts'
import type { RootResult } from './execute.ts'

/** Null where it may not be bubbles up: the whole `data` is null then (specification, section 6.4.4). `extensions` is what
 *  was asked for beside the data. */
export function formatResults(results: readonly RootResult[], extensions: object | null = null): string {
  let data = ''
  let isNull = false
  const errors: ResponseError[] = []
  for (const result of results) {
    const text = 'error' in result ? 'null' : result.text
    data += `${data === '' ? '' : ','}${JSON.stringify(result.key)}:${text}`
    if (!('error' in result)) {
      errors.push(...result.refused)
      isNull ||= result.isNulled === true
      continue
    }
    errors.push(result.error)
    isNull ||= !result.nullable
  }
  const members = isNull ? 'null' : `{${data}}`
  const beside = extensions === null ? '' : `,"extensions":${JSON.stringify(extensions)}`
  if (errors.length === 0) return `{"data":${members}${beside}}`
  return `{"errors":[${errorTexts(errors)}],"data":${members}${beside}}`
}

const maxDetailedErrors = 20

/** Each failure has its entry, but of very many only the first are told at length. */
function errorTexts(errors: readonly ResponseError[]): string {
  return errors
    .map(({ message, extensions, ...place }, index) => {
      if (index < maxDetailedErrors) return JSON.stringify({ message, ...place, extensions })
      return JSON.stringify({ message: shorten(message, 60), ...place, extensions: { code: extensions.code } })
    })
    .join(',')
}

/** A response without `data`: nothing was run. */
export function formatErrors(errors: readonly ResponseError[]): string {
  return JSON.stringify({ errors })
}

/** A `DeleteResult`, with what is asked of it under the keys of the request. */
export function deletedText(
  what: string,
  { found, id }: { found: boolean; id: string },
  asked: readonly SelectedField[],
): string {
  const message = found ? `${what} "${id}" is deleted.` : `There is no ${what} with the id "${id}".`
  const values: Record<string, unknown> = { success: found, message, id, __typename: 'DeleteResult' }
  return JSON.stringify(Object.fromEntries(asked.map(({ key, name }) => [key, values[name]])))
}
