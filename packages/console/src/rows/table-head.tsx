// The head of a table: a click sorts, the right edge of a column makes it wider.

import { type TypeModel, titleOf } from '../api/model.ts'
import { isNumeric } from './cell.tsx'
import { columnWidth, setColumnWidth } from './column-widths.ts'
import { type Column, type SortKey, sortPath } from './rows-query.ts'
import type { VisibleColumns } from './visible-columns.ts'

interface TableHeadProps {
  type: TypeModel
  columns: readonly Column[]
  visible: VisibleColumns
  sort: readonly SortKey[]
  style: Record<string, string>
  /** The column that the tab key reaches; -1: it is in a row. */
  tabColumn: number
  onSort(path: string, isFurther: boolean): void
}

export function TableHead({ type, columns, visible, sort, style, tabColumn, onSort }: TableHeadProps) {
  return (
    <div role="rowgroup" class="table-head" style={{ width: style.width! }}>
      <div role="row" aria-rowindex={1} class="table-row" style={style}>
        {columns.slice(visible.first, visible.last).map((shown, index) => {
          const { path, field } = shown
          const column = visible.first + index
          const sorted = sortPath(shown)
          const key = sort.find((one) => one.path === sorted)
          const isSorted = key === undefined ? 'none' : key.isDescending ? 'descending' : 'ascending'
          return (
            <div
              key={path}
              role="columnheader"
              aria-colindex={column + 1}
              aria-sort={sorted === null ? undefined : isSorted}
              tabIndex={column === tabColumn ? 0 : -1}
              class={`${sorted === null ? '' : 'sortable'}${isNumeric(field) ? ' number' : ''}`}
              title={field.description ?? undefined}
              onClick={(event) => {
                if (sorted !== null) onSort(sorted, event.shiftKey)
              }}
            >
              {titleOf(path)}
              {key !== undefined && <span aria-hidden="true">{key.isDescending ? ' ↓' : ' ↑'}</span>}
              <ResizeHandle width={columnWidth(type, shown)} onWidth={(width) => setColumnWidth(type, path, width)} />
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** Drags the right edge of a column. By keys: Shift and the arrows. */
function ResizeHandle({ width, onWidth }: { width: number; onWidth(width: number): void }) {
  return (
    <span
      class="resize"
      aria-hidden="true"
      onClick={(event) => event.stopPropagation()}
      onPointerDown={(event) => {
        const handle = event.currentTarget
        const start = event.clientX
        handle.setPointerCapture(event.pointerId)
        handle.onpointermove = ({ clientX }) => onWidth(width + clientX - start)
        handle.onpointerup = () => {
          handle.onpointermove = null
        }
      }}
    />
  )
}
