// Calls a custom operation through REST: a query is a GET with its arguments in the address, a mutation a POST (docs/reference/rest.md,
// R118 and R119).

import { client } from '../api/client.ts'
import { type ArgumentModel, innerType, type OperationModel, typeNamed } from '../api/model.ts'
import type { Row } from '../api/row.ts'
import { type WrittenRow, written } from '../edit/save.ts'

export type ArgumentValues = Readonly<Record<string, unknown>>

/** `about` is the row on whose form the operation stands: it is read again afterwards. */
export async function callOperation(
  operation: OperationModel,
  values: ArgumentValues,
  about: WrittenRow | null,
): Promise<unknown> {
  if (operation.kind === 'query') {
    const query = String(parametersOf(values))
    return (await client.rest.get<unknown>(`/${operation.path}${query === '' ? '' : `?${query}`}`)).data
  }
  const { data } = await client.rest.post<unknown>(`/${operation.path}`, values)
  written.value = [...(about === null ? [] : [about]), ...writtenRows(operation, data)]
  return data
}

/** A list is the same parameter several times, an input object is JSON. */
function parametersOf(values: ArgumentValues): URLSearchParams {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== null) parameters.append(name, typeof one === 'object' ? JSON.stringify(one) : String(one))
  return parameters
}

/** The rows of an answer; empty: its type is none of rows. */
export function rowsIn(operation: OperationModel, answer: unknown): readonly Row[] {
  if (typeNamed(innerType(operation.type)) === undefined || answer === null || answer === undefined) return []
  return (Array.isArray(answer) ? answer : [answer]).filter((one) => one !== null) as Row[]
}

function writtenRows(operation: OperationModel, answer: unknown): WrittenRow[] {
  const { path } = typeNamed(innerType(operation.type)) ?? {}
  return path === undefined ? [] : rowsIn(operation, answer).map(({ id }) => ({ path, id, isNew: false }))
}

/** The values that a form begins with: defaults, and the row that it is about. */
export function firstValues(
  operation: OperationModel,
  about: { argument: ArgumentModel; row: Row } | null,
): ArgumentValues {
  const defaults = operation.arguments.flatMap(({ name, default: value }) =>
    value === undefined ? [] : [[name, value]],
  )
  return { ...Object.fromEntries(defaults), ...(about !== null && { [about.argument.name]: about.row.id }) }
}

/** The argument of an operation that takes a row of this type. */
export function argumentFor(operation: OperationModel, type: string): ArgumentModel | undefined {
  return operation.arguments.find(({ row }) => row === type)
}
