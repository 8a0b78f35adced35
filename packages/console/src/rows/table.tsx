// The rows as an ARIA grid: only the rows and columns in view are in the page, rows all of one height; more are loaded as one scrolls.
// Enter or a typed character edits a cell, Escape takes its change back, a paste fills the cells from here on.

import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { failureOf } from '../api/client.ts'
import type { TypeModel } from '../api/model.ts'
import type { Row } from '../api/row.ts'
import type { EditEnd } from '../edit/cell-editor.tsx'
import { isCellEditable } from '../edit/cell-lock.ts'
import { copyText } from '../edit/copy-text.ts'
import { draftOf, removeChange, setField, targetOf } from '../edit/drafts.ts'
import { takesTypedKey } from '../edit/typed-text.ts'
import { writtenValue } from '../edit/written-value.ts'
import type { LiveRows } from '../live/live-rows.ts'
import { texts } from '../texts.ts'
import { isShortened } from './cell.tsx'
import { columnWidth, setColumnWidth } from './column-widths.ts'
import { type GridPlace, isTypedKey, movedBy } from './grid-focus.ts'
import { printCell } from './grid-text.ts'
import type { RowList } from './row-list.ts'
import { type Column, type SortKey, sortPath, valueAt } from './rows-query.ts'
import { TableHead } from './table-head.tsx'
import { type RowHandlers, TableRow } from './table-row.tsx'
import { visibleColumns } from './visible-columns.ts'

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
  /** The ids of the chosen rows; null: the user can write none of them. */
  chosen: readonly string[] | null
  onChoose(index: number, isRange: boolean): void
  /** The changes of others; null: they do not arrive. */
  live: LiveRows | null
  /** Whether no cell can be edited. */
  isReadOnly: boolean
  /** A text that was pasted, and the cell from which on it is for. */
  onPaste(text: string, at: GridPlace): void
}

export function Table(props: TableProps) {
  const { type, list, columns, sort, openId, chosen, live, isReadOnly, onSort, onOpen, onPaste } = props
  const scroller = useRef<HTMLDivElement>(null)
  const view = useSignal({ top: 0, left: 0, width: 1000, height: 600 })
  const focus = useSignal<GridPlace>({ row: 0, column: 0 })
  const edit = useSignal<(GridPlace & { typed: string | null }) | null>(null)
  const wantsFocus = useRef(false)
  const rows = list.rows.value
  const { top, left, width, height } = view.value
  const editedId = edit.value === null ? null : (rows[edit.value.row]?.id ?? null)
  useEffect(() => live?.hold(editedId), [live, editedId])
  const first = Math.max(0, Math.floor(top / rowHeight) - margin)
  const last = Math.min(rows.length, Math.ceil((top + height) / rowHeight) + margin)
  const widths = columns.map((column) => columnWidth(type, column))
  const visible = useKept(visibleColumns(widths, left, width))
  const page = Math.max(1, Math.floor(height / rowHeight) - 2)

  const look = () => {
    const { scrollTop, scrollLeft, clientWidth, clientHeight } = scroller.current!
    view.value = { top: scrollTop, left: scrollLeft, width: clientWidth, height: clientHeight }
  }
  useLayoutEffect(() => {
    const observer = new ResizeObserver(look)
    observer.observe(scroller.current!)
    return () => observer.disconnect()
  }, [])

  // A page ahead of the view, and the first one at once.
  useLayoutEffect(() => {
    if (last + margin >= rows.length) void list.loadMore()
  }, [list, last, rows.length, list.isLoading.value])

  useLayoutEffect(() => {
    if (!wantsFocus.current || edit.value !== null) return
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
    const before = widths.slice(0, place.column).reduce((sum, one) => sum + one, 0)
    const after = before + (widths[place.column] ?? 0)
    if (before < element.scrollLeft) element.scrollLeft = before
    else if (after > element.scrollLeft + element.clientWidth) element.scrollLeft = after - element.clientWidth
    look()
  }

  const isEditable = (column: Column, row: Row) => !isReadOnly && isCellEditable(type, column, row)
  const startEdit = (place: GridPlace, typed: string | null): void => {
    const row = rows[place.row]
    if (row === undefined) return
    if (isEditable(columns[place.column]!, row)) edit.value = { ...place, typed }
    else if (typed === null) onOpen(row)
  }
  const endEdit = (end: EditEnd) => {
    edit.value = null
    if (end === 'elsewhere') return
    const { row, column } = focus.value
    const next = {
      stay: { row, column },
      down: { row: Math.min(rows.length - 1, row + 1), column },
      right: { row, column: Math.min(columns.length - 1, column + 1) },
      left: { row, column: Math.max(0, column - 1) },
    }[end]
    moveTo(next)
  }

  /** Whether the key did something with the cell. */
  const onCellKey = (event: KeyboardEvent): boolean => {
    const column = columns[focus.value.column]
    const row = rows[focus.value.row]
    if (row === undefined || column === undefined) return false
    const { field } = column
    const draft = draftOf(type.path, row.id)
    if (event.key === 'Escape') {
      const isTouched = draft !== undefined && (field.name in draft.changes || field.name in draft.unparsed)
      if (!isTouched || column.path !== field.name) return false
      removeChange(draft, field.name)
      event.stopPropagation()
    } else if (event.key === 'Delete') {
      if (field.required || !isEditable(column, row)) return false
      setField(targetOf(type, row), field.name, writtenValue(field, row[field.name]), null, '')
    } else if (event.key === ' ' && !event.ctrlKey && !event.metaKey) {
      if (chosen === null) return false
      props.onChoose(focus.value.row, event.shiftKey)
    } else if (event.key === 'F2') startEdit(focus.value, null)
    else if (isTypedKey(event) && takesTypedKey(field) && isEditable(column, row)) startEdit(focus.value, event.key)
    else return false
    return true
  }

  const onKeyDown = (event: KeyboardEvent) => {
    const { row, column } = focus.value
    const step = event.shiftKey && row < 0 ? { ArrowLeft: -widthStep, ArrowRight: widthStep }[event.key] : undefined
    if (step !== undefined) {
      event.preventDefault()
      setColumnWidth(type, columns[column]!.path, columnWidth(type, columns[column]!) + step)
      return
    }
    if (event.key === 'Enter' && !event.altKey) {
      event.preventDefault()
      const path = sortPath(columns[column]!)
      if (row < 0) {
        if (path !== null) onSort(path, event.shiftKey)
      } else if (event.ctrlKey || event.metaKey) {
        if (rows[row]) onOpen(rows[row])
      } else startEdit(focus.value, null)
      return
    }
    if (row >= 0 && onCellKey(event)) {
      event.preventDefault()
      return
    }
    const next = movedBy(event, focus.value, { rows: rows.length, columns: columns.length, page })
    if (next === null) return
    event.preventDefault()
    moveTo(next)
  }

  const onCopy = (event: ClipboardEvent) => {
    const row = rows[focus.value.row]
    if (edit.value !== null || row === undefined || !document.getSelection()!.isCollapsed) return
    event.preventDefault()
    const column = columns[focus.value.column]!
    if (isShortened(valueAt(row, column.path))) void copyWhole(row, column)
    else event.clipboardData!.setData('text/plain', printCell(type, row, column))
  }

  const copyWhole = async (row: Row, column: Column) => {
    try {
      const whole = await list.readWhole(type.path, row.id)
      if (whole !== null) await copyText(printCell(type, whole, column))
    } catch (error) {
      list.failure.value = failureOf(error)
    }
  }

  const tabRow = focus.value.row < 0 || rows.length === 0 ? -1 : clamp(focus.value.row, first, last - 1)
  const tabColumn = clamp(focus.value.column, visible.first, visible.last - 1)
  const style = useKept({
    gridTemplateColumns: widths
      .slice(visible.first, visible.last)
      .map((one) => `${one}px`)
      .join(' '),
    paddingLeft: `${visible.before}px`,
    width: `max(100%, ${visible.total}px)`,
  })
  const latest = useRef<RowHandlers>(null!)
  latest.current = {
    onOpen,
    onChoose: props.onChoose,
    onEdit: (row, column) => startEdit({ row, column }, null),
    onEditEnd: endEdit,
  }
  // A row whose props are the same is not rendered again: a scroll renders the rows that come into view.
  const handlers = useMemo<RowHandlers>(
    () => ({
      onOpen: (row) => latest.current.onOpen(row),
      onChoose: (index, isRange) => latest.current.onChoose(index, isRange),
      onEdit: (row, column) => latest.current.onEdit(row, column),
      onEditEnd: (end) => latest.current.onEditEnd(end),
    }),
    [],
  )
  return (
    <div
      ref={scroller}
      class="table"
      role="grid"
      aria-label={texts.rowsOf(type.name)}
      aria-rowcount={list.hasMore.value ? -1 : rows.length + 1}
      aria-colcount={columns.length}
      aria-multiselectable={chosen !== null}
      aria-busy={list.isLoading.value}
      onScroll={look}
      onFocusIn={({ target }) => {
        focus.value = placeOf(target as Element) ?? focus.value
      }}
      onKeyDown={onKeyDown}
      onCopy={onCopy}
      onPaste={(event) => {
        if (edit.value !== null || focus.value.row < 0 || isReadOnly) return
        event.preventDefault()
        onPaste(event.clipboardData!.getData('text/plain'), focus.value)
      }}
    >
      <TableHead {...{ type, columns, visible, sort, style, onSort }} tabColumn={tabRow === -1 ? tabColumn : -1} />
      <div
        role="rowgroup"
        class="table-body"
        style={{ height: `${rows.length * rowHeight}px`, width: `max(100%, ${visible.total}px)` }}
      >
        {rows.slice(first, last).map((row, at) => {
          const index = first + at
          return (
            <TableRow
              key={row.id}
              {...{ type, row, columns, visible, index, style, handlers }}
              top={index * rowHeight}
              isOpen={row.id === openId}
              news={live?.gone.value.has(row.id) ? 'gone' : live?.changed.value.has(row.id) ? 'news' : ''}
              isChosen={chosen === null ? null : chosen.includes(row.id)}
              tabColumn={index === tabRow ? tabColumn : -1}
              edit={edit.value?.row === index ? edit.value : null}
            />
          )
        })}
      </div>
    </div>
  )
}

/** The former object, as long as its members are the same. */
function useKept<T extends object>(next: T): T {
  const kept = useRef(next)
  const names = Object.keys(next) as (keyof T)[]
  if (names.some((name) => kept.current[name] !== next[name])) kept.current = next
  return kept.current
}

/** The cell that an element belongs to. */
function placeOf(element: Element): GridPlace | null {
  const column = element.closest('[aria-colindex]')?.ariaColIndex
  const row = element.closest('[aria-rowindex]')?.ariaRowIndex
  return column && row ? { row: Number(row) - 2, column: Number(column) - 1 } : null
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value))
}
