// The value of a field, as a table shows it.

import { linkTo } from '../address/address.ts'
import { enumNamed, type FieldModel, innerType, isListType, typeNamed } from '../api/model.ts'
import { referredBy } from '../api/row.ts'
import { texts } from '../texts.ts'

/** More of a text does not fit into a cell: pages of rows arrive with texts and JSON shortened to it (`Prefer: cut`). */
export const maxCellLength = 200

/** Whether the server shortened the value. The form and a copy read it whole. */
export function isShortened(value: unknown): boolean {
  return typeof value === 'string' && value.endsWith('…') && [...value].length === maxCellLength + 1
}

/** No component: a table has hundreds of cells, and each component costs as much as its element. */
export function cellValue(field: FieldModel, value: unknown) {
  if (value === undefined)
    return (
      <span class="hidden-value" title={texts.rules}>
        {texts.hidden}
      </span>
    )
  if (value === null) return <span class="no-value">{texts.empty}</span>
  if (field.kind === 'reference') return ReferenceLink({ field, value })
  if (field.type === 'DateTime') return <time dateTime={String(value)}>{printTime(String(value))}</time>
  if (isEnum(field)) return <span class="badge">{String(value)}</span>
  return printValue(value)
}

const enumFields = new WeakMap<FieldModel, boolean>()

function isEnum(field: FieldModel): boolean {
  const known = enumFields.get(field)
  if (known !== undefined) return known
  const found = enumNamed(field.type) !== undefined
  enumFields.set(field, found)
  return found
}

export function ReferenceLink({
  field,
  value,
  tabIndex = -1,
}: {
  field: FieldModel
  value: unknown
  tabIndex?: number
}) {
  const referred = referredBy(field, value)
  const to = referred && typeNamed(referred.type)
  if (!referred || !to) return <>{referred?.label}</>
  return (
    <a href={linkTo([to.path, referred.id])} tabIndex={tabIndex}>
      {referred.label}
    </a>
  )
}

export function printValue(value: unknown): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.length > maxCellLength + 1 ? `${text.slice(0, maxCellLength)}…` : text
}

/** One for all times: to make it takes as long as to show ten rows. */
let timeFormat: Intl.DateTimeFormat | null = null

/** In the time zone and the language of the browser. */
export function printTime(text: string): string {
  timeFormat ??= new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
  const time = new Date(text)
  return Number.isNaN(time.getTime()) ? text : timeFormat.format(time)
}

/** Pixels of a column. */
export function widthOf(field: FieldModel): number {
  if (isListType(field.type)) return 220
  switch (innerType(field.type)) {
    case 'Boolean':
      return 90
    case 'Int':
    case 'Float':
      return 110
    case 'Decimal':
    case 'BigInt':
    case 'Date':
      return 130
    case 'DateTime':
      return 210
    default:
      return field.kind === 'reference' || enumNamed(field.type) !== undefined ? 160 : 240
  }
}

export function isNumeric(field: FieldModel): boolean {
  return ['Int', 'Float', 'Decimal', 'BigInt'].includes(field.type)
}
