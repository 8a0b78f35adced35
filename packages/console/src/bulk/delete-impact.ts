// What a delete would do to other rows: those that go along, those that lose a reference, and those that refuse it. Only rows that the
// user may read are counted; the dry run of the delete itself decides.

import { client } from '../api/client.ts'
import { type FieldModel, model, type TypeModel, typeNamed } from '../api/model.ts'
import { bulkTexts } from './bulk-texts.ts'

interface Referrer {
  type: TypeModel
  field: FieldModel
  /** The filter path to the deleted row: `post`, `comment.post`. */
  path: string
}

/** Rows that go along take others along: so many steps are counted. */
const maxSteps = 3
const maxCounts = 12

/** One sentence for each kind of rows. */
export async function deleteImpact(type: TypeModel, ids: readonly string[]): Promise<string[]> {
  const counted = await Promise.all(
    referrersOf(type, '', maxSteps)
      .slice(0, maxCounts)
      .map(async (referrer) => ({ referrer, count: await countRows(referrer, ids) })),
  )
  return counted.flatMap(({ referrer: { type: of, field }, count }) => {
    if (count === 0) return []
    const sentence = {
      CASCADE: bulkTexts.goesAlong,
      RESTRICT: bulkTexts.wouldRefuse,
      SET_NULL: bulkTexts.losesReference,
    }[field.onDelete!]
    return [sentence(count.toLocaleString(), of.name, field.name)]
  })
}

function referrersOf(type: TypeModel, behind: string, steps: number): Referrer[] {
  if (steps === 0) return []
  return model.value!.types.flatMap((from) => {
    if (from.kind !== 'rows') return []
    return from.fields.flatMap((field) => {
      if (field.onDelete === undefined || !leadsTo(field, type)) return []
      const path = behind === '' ? field.name : `${field.name}.${behind}`
      const further = field.onDelete === 'CASCADE' && from !== type ? referrersOf(from, path, steps - 1) : []
      return [{ type: from, field, path }, ...further]
    })
  })
}

function leadsTo(field: FieldModel, type: TypeModel): boolean {
  return field.type === type.name || (typeNamed(field.type)?.members?.includes(type.name) ?? false)
}

async function countRows({ type, path }: Referrer, ids: readonly string[]): Promise<number> {
  const query = new URLSearchParams({ [`${path}[in]`]: ids.join(','), fields: 'id', limit: '1' })
  const { headers } = await client.rest.get(`/${type.path}?${query}`, { headers: { prefer: 'count=estimated' } })
  return Number(headers.get('x-total-count'))
}
