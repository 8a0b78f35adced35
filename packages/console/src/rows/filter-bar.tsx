// The filters of a table: one chip each, and a form that makes another, with the operators of each type.

import { useSignal } from '@preact/signals'
import { enumNamed, type FieldModel, type TypeModel, titleOf } from '../api/model.ts'
import { Menu } from '../page/menu.tsx'
import { texts } from '../texts.ts'
import { type Filter, filteredField, filterPaths } from './rows-query.ts'

interface FilterBarProps {
  type: TypeModel
  filters: readonly Filter[]
  onChange(filters: readonly Filter[]): void
}

export function FilterBar({ type, filters, onChange }: FilterBarProps) {
  return (
    <>
      {filters.map((filter, index) => {
        const text = printFilter(filter)
        return (
          <span key={`${filter.path} ${filter.operator}`} class="chip">
            {text}
            <button
              type="button"
              aria-label={texts.removeFilter(text)}
              onClick={() => onChange(filters.filter((_, at) => at !== index))}
            >
              ×
            </button>
          </span>
        )
      })}
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

/** A reference is compared by its id. */
const referenceOperators = ['eq', 'ne', 'in', 'isNull']

function operatorsOf(field: FieldModel | undefined): readonly string[] {
  if (field === undefined) return []
  const operators = field.kind === 'reference' ? referenceOperators : field.operators
  return operators.includes('icontains') ? ['icontains', ...operators.filter((one) => one !== 'icontains')] : operators
}

function FilterForm({ type, onAdd }: { type: TypeModel; onAdd(filter: Filter): void }) {
  const paths = filterPaths(type, (field) => field.kind === 'reference' || field.operators.length > 0)
  const path = useSignal(type.label ?? paths[0] ?? 'id')
  const operator = useSignal('')
  const value = useSignal('')
  const field = filteredField(type, path.value)
  const operators = operatorsOf(field)
  const chosen = operators.includes(operator.value) ? operator.value : (operators[0] ?? 'eq')
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        const isFlag = chosen === 'isNull'
        onAdd({ path: path.value, operator: chosen, value: value.value || (isFlag ? 'true' : '') })
        value.value = ''
      }}
    >
      <label>
        {texts.field}
        <select
          value={path.value}
          onChange={(event) => {
            path.value = event.currentTarget.value
            value.value = ''
          }}
        >
          {paths.map((one) => (
            <option key={one} value={one}>
              {titleOf(one)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {texts.operator2}
        <select
          value={chosen}
          onChange={(event) => {
            operator.value = event.currentTarget.value
            value.value = ''
          }}
        >
          {operators.map((one) => (
            <option key={one} value={one}>
              {texts.operators[one] ?? one}
            </option>
          ))}
        </select>
      </label>
      <label>
        {texts.value}
        <FilterValue field={field} operator={chosen} value={value.value} onValue={(next) => (value.value = next)} />
      </label>
      <button type="submit" class="button primary">
        {texts.apply}
      </button>
    </form>
  )
}

interface FilterValueProps {
  field: FieldModel | undefined
  operator: string
  value: string
  onValue(value: string): void
}

function FilterValue({ field, operator, value, onValue }: FilterValueProps) {
  const choices = choicesOf(field, operator)
  if (choices === null)
    return <input value={value} onInput={(event) => onValue(event.currentTarget.value)} autocomplete="off" />
  const shown = choices.includes(value) ? value : choices[0]!
  if (shown !== value) queueMicrotask(() => onValue(shown))
  return (
    <select value={shown} onChange={(event) => onValue(event.currentTarget.value)}>
      {choices.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  )
}

/** Null: any text. */
function choicesOf(field: FieldModel | undefined, operator: string): readonly string[] | null {
  if (operator === 'isNull' || (field?.type === 'Boolean' && operator === 'eq')) return ['true', 'false']
  const values = operator === 'eq' || operator === 'ne' ? enumNamed(field?.type ?? '')?.values : undefined
  return values?.map(({ name }) => name) ?? null
}

function printFilter({ path, operator, value }: Filter): string {
  const isEmpty = operator === 'isNull'
  if (isEmpty) return `${titleOf(path)} ${value === 'true' ? texts.operators.isNull : texts.notEmpty}`
  const [word] = (texts.operators[operator] ?? operator).split(' (')
  return `${titleOf(path)} ${word} ${value}`
}
