// One row of a table. A click on its first cell opens it, a double click on another one edits that cell.

import type { TypeModel } from '../api/model.ts'
import type { Row } from '../api/row.ts'
import { CellEditor, type EditEnd } from '../edit/cell-editor.tsx'
import { type Draft, draftOf, touchedFields } from '../edit/drafts.ts'
import { texts } from '../texts.ts'
import { cellValue, isNumeric, printValue } from './cell.tsx'
import { type Column, valueAt } from './rows-query.ts'
import type { VisibleColumns } from './visible-columns.ts'

export interface RowHandlers {
  onOpen(row: Row): void
  onChoose(index: number, isRange: boolean): void
  onEdit(row: number, column: number): void
  onEditEnd(end: EditEnd): void
}

interface TableRowProps {
  type: TypeModel
  row: Row
  index: number
  columns: readonly Column[]
  visible: VisibleColumns
  /** Of all rows. */
  style: Record<string, string>
  /** Pixels from the top of the table. */
  top: number
  isOpen: boolean
  /** What others did to it. */
  news: 'gone' | 'news' | ''
  /** Null: it can't be chosen. */
  isChosen: boolean | null
  /** The cell that the tab key reaches; -1: it is in another row. */
  tabColumn: number
  /** The cell that is being edited, and the key that began it; null: none of this row. */
  edit: { column: number; typed: string | null } | null
  handlers: RowHandlers
}

export function TableRow(props: TableRowProps) {
  const { type, row, index, columns, visible, style, top, isOpen, news, isChosen, tabColumn, edit, handlers } = props
  const draft = draftOf(type.path, row.id)
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isChosen ?? undefined}
      aria-current={isOpen ? 'true' : undefined}
      class={`table-row${isOpen ? ' open' : ''}${isChosen ? ' chosen' : ''}${edit === null ? '' : ' edited'} ${news}`}
      title={news === 'gone' ? texts.goneRow : news === 'news' ? texts.changedRow : undefined}
      style={{ ...style, transform: `translateY(${top}px)` }}
      onClick={({ target }) => {
        const column = columnOf(target)
        const isOther = edit?.column === column || (target as Element).closest('a') !== null
        if (column === 0 && !isOther) handlers.onOpen(row)
      }}
      onDblClick={({ target }) => {
        const column = columnOf(target)
        if (column > 0 && edit?.column !== column) handlers.onEdit(index, column)
      }}
    >
      {columns.slice(visible.first, visible.last).map((shown, at) => {
        const column = visible.first + at
        const isEdited = edit?.column === column
        return (
          <div
            key={shown.path}
            role="gridcell"
            aria-colindex={column + 1}
            tabIndex={column === tabColumn && !isEdited ? 0 : -1}
            class={`${column === 0 ? 'opens ' : ''}${cellClass(shown, draft, isEdited)}`}
          >
            {column === 0 && isChosen !== null && !isEdited && (
              <ChoiceBox isChosen={isChosen} onChoose={(isRange) => handlers.onChoose(index, isRange)} />
            )}
            {isEdited ? (
              <CellEditor {...{ type, row }} column={shown} typed={edit.typed} onEnd={handlers.onEditEnd} />
            ) : (
              cellContent(row, shown, draft)
            )}
          </div>
        )
      })}
    </div>
  )
}

/** The column of the cell that was clicked; -1: none. One listener of the row costs less than two of each cell. */
function columnOf(target: EventTarget | null): number {
  return Number((target as Element).closest('[role=gridcell]')?.ariaColIndex ?? 0) - 1
}

/** For the mouse. By keys: the space bar; `aria-selected` of the row tells. */
function ChoiceBox({ isChosen, onChoose }: { isChosen: boolean; onChoose(isRange: boolean): void }) {
  return (
    <input
      type="checkbox"
      class="row-choice"
      aria-hidden="true"
      tabIndex={-1}
      checked={isChosen}
      onClick={(event) => {
        event.stopPropagation()
        onChoose(event.shiftKey)
      }}
    />
  )
}

function cellClass({ path, field }: Column, draft: Draft | undefined, isEdited: boolean): string {
  if (draft === undefined && !isEdited) return isNumeric(field) ? 'number' : ''
  const isWrong = draft !== undefined && (Object.hasOwn(draft.unparsed, path) || Object.hasOwn(draft.errors, path))
  const isChanged = isWrong || (draft !== undefined && touchedFields(draft).includes(path))
  return [isNumeric(field) && 'number', isChanged && 'changed', isWrong && 'wrong', isEdited && 'editing']
    .filter(Boolean)
    .join(' ')
}

function cellContent(row: Row, { path, field }: Column, draft: Draft | undefined) {
  if (draft === undefined) return cellValue(field, valueAt(row, path))
  const unparsed = draft.unparsed[path]
  if (unparsed !== undefined) return unparsed
  if (draft.nested[path] !== undefined) return texts.createdAlong
  if (!Object.hasOwn(draft.changes, path)) return cellValue(field, valueAt(row, path))
  return printValue(draft.labels[path] ?? draft.changes[path] ?? texts.empty)
}
