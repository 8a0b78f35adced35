// The filters of a table: one chip each, and a form that makes another, with the operators of each type.

import { type TypeModel, titleOf, typeNamed } from '../api/model.ts'
import { lazy } from '../page/lazy.tsx'
import { Menu } from '../page/menu.tsx'
import { texts } from '../texts.ts'
import { printTime } from './cell.tsx'
import { useRowLabel } from './row-label.ts'
import { type Filter, filteredField } from './rows-query.ts'

const FilterForm = lazy(async () => (await import('./filter-form.tsx')).FilterForm)

interface FilterBarProps {
  type: TypeModel
  filters: readonly Filter[]
  onChange(filters: readonly Filter[]): void
}

export function FilterBar({ type, filters, onChange }: FilterBarProps) {
  return (
    <>
      {filters.map((filter, index) => (
        <FilterChip
          key={`${filter.path} ${filter.operator} ${filter.value}`}
          {...{ type, filter }}
          onRemove={() => onChange(filters.filter((_, at) => at !== index))}
        />
      ))}
      <Menu title={texts.addFilter}>
        {(close) => (
          <FilterForm
            type={type}
            onAdd={(filter) => {
              const others = filters.filter(
                ({ path, operator }) => path !== filter.path || operator !== filter.operator,
              )
              onChange([...others, filter])
              close()
            }}
          />
        )}
      </Menu>
    </>
  )
}

function FilterChip({ type, filter, onRemove }: { type: TypeModel; filter: Filter; onRemove(): void }) {
  const label = useLabel(type, filter)
  const text = printFilter(type, filter, label)
  return (
    <span class="chip">
      {text}
      <button type="button" aria-label={texts.removeFilter(text)} onClick={onRemove}>
        ×
      </button>
    </span>
  )
}

/** What the row is called that a reference is compared with. */
function useLabel(type: TypeModel, { path, operator, value }: Filter): string {
  const field = filteredField(type, path)
  const isRow = field?.kind === 'reference' && ['eq', 'ne'].includes(operator)
  return useRowLabel(isRow ? typeNamed(field.type) : undefined, value)
}

function printFilter(type: TypeModel, { path, operator, value }: Filter, label: string): string {
  if (operator === 'isNull') return `${titleOf(path)} ${value === 'true' ? texts.operators.isNull : texts.notEmpty}`
  const [word] = (texts.operators[operator] ?? operator).split(' (')
  const isTime = filteredField(type, path)?.type === 'DateTime' && !value.includes(',')
  return `${titleOf(path)} ${word} ${isTime ? printTime(value) : label}`
}
