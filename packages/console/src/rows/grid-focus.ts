// Moves the focus in a grid by keys (ARIA Authoring Practices, grid). Row -1 is the header. Null: the key is none of the grid.

export interface GridPlace {
  row: number
  column: number
}

export interface GridSize {
  rows: number
  columns: number
  /** Rows that fit into the view. */
  page: number
}

export function movedBy(event: KeyboardEvent, at: GridPlace, { rows, columns, page }: GridSize): GridPlace | null {
  if (event.altKey || event.metaKey || event.shiftKey) return null
  const row = (next: number): GridPlace => ({ ...at, row: clamp(next, -1, rows - 1) })
  const column = (next: number): GridPlace => ({ ...at, column: clamp(next, 0, columns - 1) })
  if (event.ctrlKey) {
    if (event.key === 'Home') return { row: Math.min(0, rows - 1), column: 0 }
    if (event.key === 'End') return { row: rows - 1, column: columns - 1 }
    return null
  }
  switch (event.key) {
    case 'ArrowUp':
      return row(at.row - 1)
    case 'ArrowDown':
      return row(at.row + 1)
    case 'PageUp':
      return row(at.row - page)
    case 'PageDown':
      return row(at.row + page)
    case 'ArrowLeft':
      return column(at.column - 1)
    case 'ArrowRight':
      return column(at.column + 1)
    case 'Home':
      return column(0)
    case 'End':
      return column(columns - 1)
    default:
      return null
  }
}

/** Whether the key types a character: never one with Ctrl, Cmd or Alt, and not `/`, which searches. */
export function isTypedKey(event: KeyboardEvent): boolean {
  return event.key.length === 1 && !' /'.includes(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value))
}
