// The rows as an ARIA grid: only those in view are in the page, all of one height; more are loaded as one scrolls.

import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { type TypeModel, titleOf } from '../api/model.ts'
import type { Row } from '../api/row.ts'
import { draftOf } from '../edit/drafts.ts'
import { texts } from '../texts.ts'
import { CellValue, isNumeric, printValue } from './cell.tsx'
import { columnWidth, setColumnWidth } from './column-widths.ts'
import { type GridPlace, movedBy } from './grid-focus.ts'
import type { RowList } from './row-list.ts'
import { type Column, type SortKey, sortPath, valueAt } from './rows-query.ts'

const rowHeight = 32
/** Rows above and below the view. */
const margin = 10
/** Pixels by which a key changes the width of a column. */
const widthStep = 20

interface TableProps {
  type: TypeModel
  list: RowList
  columns: readonly Column[]
  sort: readonly SortKey[]
  openId: string | null
  onSort(path: string, isFurther: boolean): void
  onOpen(row: Row): void
}

export function Table({ type, list, columns, sort, openId, onSort, onOpen }: TableProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const top = useSignal(0)
  const height = useSignal(600)
  const focus = useSignal<GridPlace>({ row: 0, column: 0 })
  const wantsFocus = useRef(false)
  const rows = list.rows.value
  const first = Math.max(0, Math.floor(top.value / rowHeight) - margin)
  const last = Math.min(rows.length, Math.ceil((top.value + height.value) / rowHeight) + margin)
  const page = Math.max(1, Math.floor(height.value / rowHeight) - 2)

  useLayoutEffect(() => {
    const element = scroller.current!
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  // A page ahead of the view.
  useEffect(() => {
    if (last + margin >= rows.length) void list.loadMore()
  }, [list, last, rows.length, list.isLoading.value])

  useLayoutEffect(() => {
    if (!wantsFocus.current) return
    wantsFocus.current = false
    scroller.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true })
  })

  const moveTo = (place: GridPlace) => {
    wantsFocus.current = true
    focus.value = place
    const element = scroller.current!
    const at = place.row * rowHeight
    // The header covers the first row of the view.
    if (place.row >= 0 && at < element.scrollTop) element.scrollTop = at
    if (at + 2 * rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = at + 2 * rowHeight - element.clientHeight
    const cell = element.querySelectorAll<HTMLElement>('[role=columnheader]')[place.column]
    if (cell && cell.offsetLeft < element.scrollLeft) element.scrollLeft = cell.offsetLeft
    if (cell && cell.offsetLeft + cell.offsetWidth > element.scrollLeft + element.clientWidth)
      element.scrollLeft = cell.offsetLeft + cell.offsetWidth - element.clientWidth
    top.value = element.scrollTop
  }

  const onKeyDown = (event: KeyboardEvent) => {
    const { row, column } = focus.value
    const step = event.shiftKey && row < 0 ? { ArrowLeft: -widthStep, ArrowRight: widthStep }[event.key] : undefined
    if (step !== undefined) {
      event.preventDefault()
      setColumnWidth(type, columns[column]!.path, columnWidth(type, columns[column]!) + step)
      return
    }
    if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault()
      const path = sortPath(columns[column]!)
      if (row < 0) {
        if (path !== null) onSort(path, event.shiftKey)
      } else if (rows[row]) onOpen(rows[row])
      return
    }
    const next = movedBy(event, focus.value, { rows: rows.length, columns: columns.length, page })
    if (next === null) return
    event.preventDefault()
    moveTo(next)
  }

  const tabRow = focus.value.row < 0 ? -1 : Math.max(first, Math.min(last - 1, focus.value.row))
  const tabColumn = Math.min(focus.value.column, columns.length - 1)
  const template = columns.map((column) => `${columnWidth(type, column)}px`).join(' ')
  return (
    <div
      ref={scroller}
      class="table"
      role="grid"
      aria-label={texts.rowsOf(type.name)}
      aria-rowcount={list.hasMore.value ? -1 : rows.length + 1}
      aria-colcount={columns.length}
      aria-busy={list.isLoading.value}
      aria-readonly="true"
      onScroll={() => {
        top.value = scroller.current!.scrollTop
      }}
      onKeyDown={onKeyDown}
    >
      <div role="rowgroup" class="table-head">
        <div role="row" aria-rowindex={1} class="table-row" style={{ gridTemplateColumns: template }}>
          {columns.map((shown, column) => {
            const { path, field } = shown
            const sorted = sortPath(shown)
            const key = sort.find((one) => one.path === sorted)
            const isTab = tabRow === -1 && column === tabColumn
            const isSorted = key === undefined ? 'none' : key.isDescending ? 'descending' : 'ascending'
            return (
              <div
                key={path}
                role="columnheader"
                aria-colindex={column + 1}
                aria-sort={sorted === null ? undefined : isSorted}
                tabIndex={isTab || (rows.length === 0 && column === 0) ? 0 : -1}
                class={sorted === null ? '' : 'sortable'}
                title={field.description ?? undefined}
                onClick={(event) => {
                  focus.value = { row: -1, column }
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
      <div role="rowgroup" class="table-body" style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.slice(first, last).map((row, index) => (
          <TableRow
            key={row.id}
            {...{ type, row, columns, template }}
            index={first + index}
            isOpen={row.id === openId}
            tabColumn={first + index === tabRow ? tabColumn : -1}
            onFocus={(column) => {
              focus.value = { row: first + index, column }
            }}
            onOpen={onOpen}
          />
        ))}
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

interface TableRowProps extends Pick<TableProps, 'type' | 'columns' | 'onOpen'> {
  row: Row
  index: number
  template: string
  isOpen: boolean
  /** The cell that the tab key reaches; -1: it is in another row. */
  tabColumn: number
  onFocus(column: number): void
}

function TableRow({ type, row, index, columns, template, isOpen, tabColumn, onFocus, onOpen }: TableRowProps) {
  const draft = draftOf(type.path, row.id)
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isOpen}
      class={`table-row${isOpen ? ' open' : ''}`}
      style={{ gridTemplateColumns: template, transform: `translateY(${index * rowHeight}px)` }}
    >
      {columns.map(({ path, field }, column) => {
        const isChanged = draft !== undefined && Object.hasOwn(draft.changes, path)
        return (
          <div
            key={path}
            role="gridcell"
            aria-colindex={column + 1}
            tabIndex={column === tabColumn ? 0 : -1}
            class={`${isNumeric(field) ? 'number' : ''}${isChanged ? ' changed' : ''}`}
            onClick={(event) => {
              onFocus(column)
              if ((event.target as Element).closest('a') === null) onOpen(row)
            }}
          >
            {isChanged ? (
              printValue(draft.labels[path] ?? draft.changes[path] ?? texts.empty)
            ) : (
              <CellValue field={field} value={valueAt(row, path)} />
            )}
          </div>
        )
      })}
    </div>
  )
}
