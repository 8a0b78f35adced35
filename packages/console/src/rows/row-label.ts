// What a row is called of which only the id is known.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client } from '../api/client.ts'
import type { TypeModel } from '../api/model.ts'
import { labelOf, type Row } from '../api/row.ts'

/** The id until the label is known, and if there is none. */
export function useRowLabel(type: TypeModel | undefined, id: string): string {
  const label = useSignal(id)
  useEffect(() => {
    if (type === undefined || type.label === null || type.kind === 'abstract') return
    client.rest.get<Row>(`/${type.path}/${encodeURIComponent(id)}?fields=id,${type.label}`).then(
      ({ data }) => {
        label.value = labelOf(type, data!)
      },
      () => {}, // it stays the id
    )
  }, [])
  return label.value
}
