// The custom operations that take a row of this type, in the form of the row.

import { model, type TypeModel, titleOf } from '../api/model.ts'
import type { Row } from '../api/row.ts'
import { argumentFor } from './call-operation.ts'
import { OperationForm } from './operation-form.tsx'

export function RowOperations({ type, row }: { type: TypeModel; row: Row }) {
  return (
    <>
      {model.value!.operations.map((operation) => {
        const argument = argumentFor(operation, type.name)
        if (argument === undefined) return null
        return (
          <details key={operation.name}>
            <summary>{titleOf(operation.name)}</summary>
            <OperationForm operation={operation} about={{ type, row, argument }} />
          </details>
        )
      })}
    </>
  )
}
