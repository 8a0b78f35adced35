// Chooses and orders the columns of a table.

import { type TypeModel, titleOf } from '../api/model.ts'
import { Menu } from '../page/menu.tsx'
import { texts } from '../texts.ts'
import { pathsOf } from './rows-query.ts'

interface ColumnMenuProps {
  type: TypeModel
  /** The paths of the columns, in their order. */
  shown: readonly string[]
  /** Null: the standard columns. */
  onChange(paths: readonly string[] | null): void
}

export function ColumnMenu({ type, shown, onChange }: ColumnMenuProps) {
  const all = pathsOf(type, ({ kind }) => kind === 'value' || kind === 'reference')
  const others = all.filter((path) => !shown.includes(path))
  return (
    <Menu title={texts.columns}>
      {() => (
        <fieldset class="columns">
          <legend class="visually-hidden">{texts.columns}</legend>
          {shown.map((path, index) => (
            <div key={path}>
              <label>
                <input
                  type="checkbox"
                  checked
                  disabled={shown.length === 1}
                  onChange={() => onChange(shown.filter((one) => one !== path))}
                />
                {titleOf(path)}
              </label>
              <button
                type="button"
                aria-label={texts.moveUp(titleOf(path))}
                disabled={index === 0}
                onClick={() => onChange(swap(shown, index, index - 1))}
              >
                ↑
              </button>
              <button
                type="button"
                aria-label={texts.moveDown(titleOf(path))}
                disabled={index === shown.length - 1}
                onClick={() => onChange(swap(shown, index, index + 1))}
              >
                ↓
              </button>
            </div>
          ))}
          {others.map((path) => (
            <div key={path}>
              <label>
                <input type="checkbox" checked={false} onChange={() => onChange([...shown, path])} />
                {titleOf(path)}
              </label>
            </div>
          ))}
          <button type="button" class="button" onClick={() => onChange(null)}>
            {texts.resetColumns}
          </button>
        </fieldset>
      )}
    </Menu>
  )
}

function swap(paths: readonly string[], a: number, b: number): string[] {
  const next = [...paths]
  next[a] = paths[b]!
  next[b] = paths[a]!
  return next
}
